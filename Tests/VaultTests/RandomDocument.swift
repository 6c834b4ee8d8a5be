import CLinux
import FileSystem
import Foundation
import SeededNumbers

/// A document with all that a vault keeps of one, made at random: any members, names, permissions, dates and attributes.
struct RandomDocument {
    var random: SplitMix64

    private static let names = [
        "a", "b.txt", ".hidden", "café", "cafe\u{301}", "two\nlines", " spaces ", "🦊", "a:b?*", "trailing.",
        String(repeating: "long", count: 60),
    ]
    private static let permissions: [UInt32] = [
        0o644, 0o600, 0o755, 0o444, 0o400, 0o777, 0o1644, 0o4755, 0o2755, 0o000,
    ]

    /// Writes one where nothing is.
    mutating func write(to place: FilePath) throws {
        switch random.below(6) {
        case 0: try link(at: place)
        case 1...2: try file(at: place)
        default: try folder(at: place, depth: 0)
        }
    }

    private mutating func folder(at place: FilePath, depth: Int) throws {
        try FileManager.default.createDirectory(atPath: place.string, withIntermediateDirectories: false)
        var files: [FilePath] = []
        for _ in 0..<random.below(8) {
            let member = place.appending(Self.names[random.below(Self.names.count)])
            guard try FolderScan.status(at: member) == nil else { continue }
            switch random.below(8) {
            case 0...1: try link(at: member)
            case 2 where depth < 3, 3 where depth < 3: try folder(at: member, depth: depth + 1)
            case 4 where !files.isEmpty:
                try call("link", Glibc.link(files[random.below(files.count)].string, member.string))
            default:
                try file(at: member)
                files.append(member)
            }
        }
        // Who is not root could not go into it.
        try dress(place, permissions: [0o755, 0o700, 0o1777, 0o500][random.below(geteuid() == 0 ? 4 : 3)])
    }

    private mutating func file(at place: FilePath) throws {
        let byteCount = [0, 1, 100, 5000, 200_000][random.below(5)]
        let bytes = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try Data(bytes).write(to: place.url(isDirectory: false))
        let permissions = Self.permissions[random.below(Self.permissions.count)]
        try dress(place, permissions: geteuid() == 0 ? permissions : permissions | 0o600)
    }

    private mutating func link(at place: FilePath) throws {
        let text = ["a", "../..", "/nowhere/at all", "café", String(repeating: "x/", count: 300)][
            random.below(5)
        ]
        try call("symlink", symlink(text, place.string))
        try date(place)
    }

    private mutating func dress(_ place: FilePath, permissions: UInt32) throws {
        for number in 0..<random.below(4) {
            let name = ["user.note", "user.ü", "user.empty", "user.bytes"][number]
            let value = [UInt8](
                repeating: UInt8(random.below(256)),
                count: number == 2 ? 0 : random.below(300)
            )
            try call("setxattr", CLinux.setxattr(place.string, name, value, value.count, 0))
        }
        try call("chmod", chmod(place.string, permissions))
        try date(place)
    }

    private mutating func date(_ place: FilePath) throws {
        let seconds = [0, 1, -1_000_000, 1_234_567_890, 4_000_000_000][random.below(5)]
        let times = [timespec(), timespec(tv_sec: seconds, tv_nsec: random.below(1_000_000_000))]
        try call("utimensat", utimensat(AT_FDCWD, place.string, times, AT_SYMLINK_NOFOLLOW))
    }

    private func call(_ name: String, _ outcome: CInt) throws {
        guard outcome == 0 else {
            throw CocoaError(.fileWriteUnknown, userInfo: ["call": "\(name) \(errno)"])
        }
    }
}
