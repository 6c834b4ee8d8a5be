internal import FileSystem
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
        use.watchCountMax = setting("max_user_watches")
        use.instanceCountMax = setting("max_user_instances")
        for process in ProcessFiles.processes {
            for descriptor in ProcessFiles.descriptors(of: process)
            where descriptor.target == "anon_inode:inotify" {
                use.instanceCount += 1
                use.watchCount += descriptor.lines.count { $0.hasPrefix("inotify ") }
            }
        }
        return use
    }

    private static func setting(_ name: String) -> Int? {
        ProcessFiles.text(at: FilePath("/proc/sys/fs/inotify/\(name)"))
            .flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
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
