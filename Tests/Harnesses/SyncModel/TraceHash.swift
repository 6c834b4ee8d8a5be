internal import Sync

/// A number that two runs have in common only if they have done the same.
package struct TraceHash: Hashable, Sendable {
    package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func mix(_ number: UInt64) {
        value = (value ^ number) &* 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    private mutating func mix(_ text: String) {
        for byte in text.utf8 { mix(UInt64(byte)) }
        mix(0x100)
    }

    private mutating func mix(_ item: ItemID) {
        mix(item.high)
        mix(item.low)
    }

    mutating func mix(_ state: ItemState?) {
        guard let state else { return mix(1) }
        mix(state.kind == .folder ? 2 : 3)
        mix(state.place.parent)
        mix(state.place.name)
        mix(state.content?.value ?? "")
        for content in state.conflicts.sorted() { mix(content.value) }
    }

    mutating func mix(_ effect: SyncEngine.Effect) {
        switch effect {
        case .upload(let content):
            mix(4)
            mix(content.value)
        case .fetch(let content):
            mix(5)
            mix(content.value)
        case .commit(let commit):
            mix(6)
            mix(commit.item)
            mix(commit.base)
            mix(commit.state)
        case .place(let item, let state, let expected):
            mix(7)
            mix(item)
            mix(state)
            mix(expected)
        case .remove(let item, let expected):
            mix(8)
            mix(item)
            mix(expected)
        case .become(let item, let other, let expected):
            mix(10)
            mix(item)
            mix(other)
            mix(expected)
        case .merge(let item, let base, let ours, let theirs):
            mix(9)
            mix(item)
            for content in [base, ours, theirs] { mix(content?.value ?? "") }
        }
    }
}
