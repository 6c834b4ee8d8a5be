extension UTType {
    /// Replicated data, as `Replica.encodedState()` of ChangeSets gives it: `org.sheaf.replica`.
    ///
    /// Ours. A document type of an app that conforms to it merges by itself when two devices have changed it.
    public static var replica: UTType { UTType(known: "org.sheaf.replica") }
}
