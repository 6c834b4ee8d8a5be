/// How long a presenter is waited for.
package enum PresenterLimit {
    /// In seconds, where nobody says otherwise: in one process as between all.
    ///
    /// A person who waits for a document has not given up yet, and a presenter that only saves has long answered.
    package static let usualSeconds = 5.0
}
