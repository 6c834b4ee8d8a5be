/// What happens, for a log.
package enum SyncReport: Hashable, Sendable {
    case lineUp
    case lineDown(String)
    case stopped(String)
    case received(path: String)
    case removed(path: String)
    /// A power cut had left nothing in it.
    case repaired(path: String)
    /// A power cut had taken it out of its folder.
    case restored(path: String)
    case merged(path: String)
    case conflict(path: String)
    case failed(path: String, why: String)
    /// Something in the folder is not kept in step.
    case leftAlone(path: String, why: String)
    /// The hub has lost what came after an entry of its log. What this device has of that is sent again.
    case hubPutBack(from: UInt64, to: UInt64)
    /// A folder is another than before, or a power cut has taken things out of it: nobody has removed them, and they come from
    /// the hub again.
    case vanished(itemCount: Int)
    /// The room that the contents of evicted items took is free.
    case freed
    /// The hub was told that nothing needs so many parts of former states any more. It keeps them for so long.
    case released(partCount: Int, keptSeconds: Int)
    /// It was removed here, and another device has edited it, or put something into it: it stays.
    case survived(path: String, by: String, isFolder: Bool)
    /// A device has let another one in, which reads all from then on.
    case letIn(device: String, by: String, isByThis: Bool)
    /// So much would be removed or replaced that a person is asked first.
    case braked(isLeaving: Bool, waitingCount: Int, itemCount: Int)
    /// All is the same here and at the hub.
    case settled
}
