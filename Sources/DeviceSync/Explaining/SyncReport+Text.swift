extension SyncReport {
    /// What has happened, in a few words.
    package var text: String { words.text }

    /// Whether somebody should look at it.
    package var isWrong: Bool { words.isWrong }

    private var words: (text: String, isWrong: Bool) {
        switch self {
        case .lineUp: ("the hub answers", false)
        case .lineDown(let why): ("no line to the hub: \(why)", true)
        case .stopped(let why): ("stopped: \(why)", true)
        case .received(let path): ("received \(path)", false)
        case .removed(let path): ("removed \(path), which was removed elsewhere", false)
        case .repaired(let path):
            (
                "\(path) was blank after a power cut, and has again what it held; the blank is kept as a version",
                true
            )
        case .restored(let path):
            ("\(path) was not there any more after a power cut, and nobody has removed it: it is back", true)
        case .merged(let path): ("merged \(path)", false)
        case .hubPutBack(let former, let position):
            (
                """
                the hub was put back from entry \(former) of its log to \(position); what this device has of what came \
                after it is sent again
                """, true
            )
        case .vanished(let count):
            (
                """
                \(count) items are not here any more, and nobody has removed them: a folder is another than before, put back \
                from a backup or on another volume, or a power cut has taken them; they come from the hub again
                """, true
            )
        case .conflict(let path): ("\(path) has versions that could not be merged", true)
        case .failed(let path, let why): ("\(path): \(why)", true)
        case .leftAlone(let path, let why): ("\(path) is left alone: \(why)", false)
        case .freed: ("the room of evicted contents is free", false)
        case .released(let count, let seconds):
            (
                """
                \(count) \(count == 1 ? "part" : "parts") of former states at the hub are not needed any more; it deletes them \
                after \(seconds / 86_400) days
                """, false
            )
        case .survived(let path, let who, let isFolder):
            (
                isFolder
                    ? "\(path) was removed here, and \(who) has put something into it: the folder stays, with that"
                    : "\(path) was removed here and edited on \(who): the edit stays",
                true
            )
        case .letIn(let device, _, isByThis: true): ("this device has let in “\(device)”", false)
        case .letIn(let device, let who, isByThis: false):
            (
                """
                “\(who)” has let in “\(device)”, which reads all of the folder from now on; if none of you has done that, shut \
                both out: sheaf revoke
                """, true
            )
        case .braked(let isLeaving, let waitingCount, let itemCount):
            (
                """
                \(waitingCount) of \(itemCount) items were removed or replaced \(isLeaving ? "here" : "elsewhere"): that \
                waits for sheaf decide
                """, true
            )
        case .settled: ("in step", false)
        }
    }
}
