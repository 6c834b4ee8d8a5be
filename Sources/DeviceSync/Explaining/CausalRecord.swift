internal import Foundation
internal import Sync

/// Since when items are not as the hub has them, and the line is as it is, as far as this process has seen it begin.
///
/// In seconds since 1970, for people. Pure.
struct CausalRecord {
    private var items: [ItemID: Double] = [:]
    /// Since when the line is as it is; nil where it has not been otherwise.
    private(set) var lineSeconds: Double?

    /// Notes items of which something may have become otherwise.
    ///
    /// - Parameter differs: Whether one is not as the hub has it.
    mutating func note(_ some: Set<ItemID>, at now: Date, differs: (ItemID) -> Bool) {
        for item in some {
            if !differs(item) {
                items[item] = nil
            } else if items[item] == nil {
                items[item] = now.timeIntervalSince1970
            }
        }
    }

    mutating func noteLine(at now: Date) { lineSeconds = now.timeIntervalSince1970 }

    /// Since when an item is not as the hub has it; nil for one that is, and where it was so before this process began.
    func seconds(of item: ItemID) -> Double? { items[item] }
}
