/// Which packs are worth making anew. Pure.
struct CollectionPlan: Hashable {
    /// What is known of a pack.
    struct Pack: Hashable {
        var number: Int
        /// All bytes in it, headers too.
        var byteCount: Int
        /// What of them is needed.
        var liveByteCount: Int
        /// Whether somebody writes to it, or something in it is damaged and it may hold the only copy.
        var isHeld: Bool
        /// Whether it is to be made anew whatever is in it.
        var isForced = false
    }

    /// Packs to be emptied, the emptiest first.
    var swept: [Int]

    /// - Parameters:
    ///   - deadShareMin: From which share of unneeded bytes on a pack is swept, 0 for every pack that has any.
    ///   - copiedByteCountMax: How many bytes may be copied at most; packs of which nothing is needed cost none.
    init(packs: [Pack], deadShareMin: Double, copiedByteCountMax: Int = .max) {
        var copiedByteCount = 0
        swept = []
        for pack in packs.sorted(by: { ($0.liveByteCount, $0.number) < ($1.liveByteCount, $1.number) }) {
            let dead = max(0, pack.byteCount - PackFormat.headerByteCount - pack.liveByteCount)
            let isWorthwhile =
                pack.isForced || pack.liveByteCount == 0
                || (dead > 0 && Double(dead) >= deadShareMin * Double(pack.byteCount))
            guard !pack.isHeld, isWorthwhile, copiedByteCount + pack.liveByteCount <= copiedByteCountMax
            else {
                continue
            }
            copiedByteCount += pack.liveByteCount
            swept.append(pack.number)
        }
    }
}
