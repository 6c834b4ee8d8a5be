internal import Sync
internal import Vault

/// What the folder's volume did not let items bear that were put in place, so that nobody takes that for a change.
///
/// Used where the device's memory is, in which it is. An entry is durable before its item is in place: a process that dies in
/// between knows of it.
struct LossBook {
    /// What was lost of one item.
    var of: (ItemID) throws -> DressNotes
    /// Notes what is lost of some items from now on, in place of what was; nothing for most.
    var note: ([ItemID: DressNotes]) throws -> Void

    /// One that notes nothing.
    init() { (of, note) = ({ _ in DressNotes() }, { _ in }) }

    /// What a device remembers.
    init(_ memory: DeviceMemory) {
        of = { try memory.losses(of: $0) }
        note = { try memory.remember(losses: $0) }
    }
}
