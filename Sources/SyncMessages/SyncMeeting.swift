package import FileSystem
internal import Foundation
package import LocalSockets

/// Where the process is asked that keeps a device's folders in step.
///
/// That is the runtime folder as that process found it. Begun at the start of the machine, where nobody has logged in, it may find
/// another one than all programs of later; so it notes in the device's home where it is.
package struct SyncMeeting: Sendable {
    private let home: FilePath

    package init(home: FilePath) { self.home = home }

    /// In the device's home, with the folder's path in it.
    package static let fileName = "runtime"

    /// The folder that was noted last; nil where none was, and for what is no path.
    package var noted: String? {
        // What cannot be read says nothing: then it is asked where it is for everybody.
        guard let bytes = try? FileReading.contents(of: home.appending(Self.fileName)) else { return nil }
        let path = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        return path.hasPrefix("/") ? path : nil
    }

    /// Notes where the process is asked that has begun, durably. Whoever watches the home hears that one has come, also where the
    /// same was noted before.
    package func note(_ path: String) throws(SystemError) {
        let save = try StagedSave(item: home.appending(Self.fileName), followsSymbolicLink: false)
        try save.write(Data("\(path)\n".utf8))
        try save.commit(MemberAttributes(permissions: 0o600))
    }

    /// Where it is asked: in the folder that was noted, if it answers there, else in the one that is this process's own, too.
    ///
    /// - Parameter own: The runtime folder, as this process finds it.
    package func runtime(own: RuntimeFolder) -> RuntimeFolder {
        guard let noted, noted != own.path, isAnswered(in: noted),
            // A folder that others reach into is none.
            let other = try? RuntimeFolder(path: noted)
        else { return own }
        return other
    }

    private func isAnswered(in folder: String) -> Bool {
        // Where neither can be looked at, nobody is known to answer.
        if (try? LockFile.isHeld(folder + "/" + SyncQuery.beginningLockName)) == true { return true }
        return (try? LocalSocket(connectingTo: folder + "/" + SyncQuery.socketName)) != nil
    }
}
