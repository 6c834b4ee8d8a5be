internal import Foundation

/// How much of what the kernel lets a user watch is taken: inotify(7), proc(5).
package struct WatchUse: Hashable, Sendable {
    /// What all of a user's processes have, as far as this one may look.
    package var watchCount = 0
    package var instanceCount = 0
    /// What a user may have; nil where the kernel does not say.
    package var watchCountMax: Int?
    package var instanceCountMax: Int?
    /// How many folders are to be watched and are not yet.
    package var neededCount = 0

    package init() {}

    /// How it is now.
    package static func now() -> WatchUse {
        var use = WatchUse()
        use.watchCountMax = number(at: "/proc/sys/fs/inotify/max_user_watches")
        use.instanceCountMax = number(at: "/proc/sys/fs/inotify/max_user_instances")
        // What has ended meanwhile, and others' processes, have none.
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        for process in processes where process.allSatisfy(\.isNumber) { use.add("/proc/\(process)") }
        return use
    }

    private mutating func add(_ process: String) {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: process + "/fd")) ?? []
        for file in files {
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: process + "/fd/" + file)
            guard target == "anon_inode:inotify" else { continue }
            instanceCount += 1
            let lines = Self.text(at: process + "/fdinfo/" + file)?.split(separator: "\n") ?? []
            watchCount += lines.filter { $0.hasPrefix("inotify ") }.count
        }
    }

    private static func text(at path: String) -> String? {
        // Such files say that they have no bytes.
        guard let bytes = try? FileHandle(forReadingAtPath: path)?.readToEnd() else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func number(at path: String) -> Int? {
        text(at: path).flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
    }

    /// What is too little, or soon is.
    package var findings: [DoctorFinding] {
        var found: [DoctorFinding] = []
        func judge(_ used: Int, _ most: Int?, _ what: String, _ setting: String) {
            guard let most, used > most - most / 10 else { return }
            found.append(
                DoctorFinding(
                    .watches,
                    "\(used) of the \(most) \(what) that a user may have are needed: changes go unseen without one.",
                    remedy: "Raise fs.inotify.\(setting), as with sysctl, or close programs that watch files."
                )
            )
        }
        judge(watchCount + neededCount, watchCountMax, "watches of folders", "max_user_watches")
        judge(instanceCount, instanceCountMax, "watchers of files", "max_user_instances")
        return found
    }
}
