/// When a copying of many items was over, of which one copy is known. Pure.
///
/// Whoever moves a folder to another volume copies one item after another, and removes the first when the last is
/// copied: by then the first copy may have been there for an hour.
struct CopySeries: Sendable {
    /// From when until when an item came, in seconds since 1970.
    struct Span: Hashable, Sendable {
        let began: Double
        var ended: Double
    }

    /// How long a pause between two copies may be, at most.
    let pauseSecondsMax: Double

    /// When the last copy was there of a series that began with one, or had it in it.
    ///
    /// - Parameter others: What has come to the same folder, also before and for other reasons.
    func end(of copy: Span, among others: [Span]) -> Double {
        var end = copy.ended
        // What began before is no proof that anything came after.
        let later = others.filter { $0.began >= copy.began }.sorted { $0.began < $1.began }
        for span in later {
            guard span.began - end <= pauseSecondsMax else { break }
            end = max(end, span.ended)
        }
        return end
    }
}
