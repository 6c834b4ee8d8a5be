internal import Foundation

/// A volume at its place, as /proc/self/mountinfo names it; proc(5).
package struct Mount: Hashable, Sendable {
    package let place: String
    /// The kernel's name for the file system.
    package let type: String
    package let isReadOnly: Bool
    /// Whether the volume is there from its top, and not a folder or a subvolume of it alone.
    package let isWhole: Bool

    /// Those of a table, in its order: of several at one place the last is on top.
    package static func all(in table: String) -> [Mount] {
        table.split(separator: "\n").compactMap { line -> Mount? in
            let words = line.split(separator: " ")
            guard let dash = words.firstIndex(of: "-"), words.count > dash + 1, words.count > 5 else {
                return nil
            }
            return Mount(
                place: unescaped(words[4]),
                type: String(words[dash + 1]),
                isReadOnly: words[5].split(separator: ",").contains("ro"),
                isWhole: words[3] == "/"
            )
        }
    }

    /// What parts words, and the sign that says so, are written as three octal digits.
    private static func unescaped(_ word: Substring) -> String {
        var (bytes, rest) = ([UInt8](), word.utf8)
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            if byte == UInt8(ascii: "\\"), digits.count == 3,
                let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            {
                bytes.append(code)
                rest.removeFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static let table = FilePath("/proc/self/mountinfo")

    /// Those that this process sees; none where the system does not tell.
    package static var all: [Mount] {
        all(in: ProcessFiles.text(at: table) ?? "")
    }

    /// What a path is on.
    package init?(of path: String, in mounts: [Mount]) {
        let above = mounts.filter { path == $0.place || $0.place == "/" || path.hasPrefix($0.place + "/") }
        guard let longest = above.map(\.place.count).max(),
            let mount = above.last(where: { $0.place.count == longest })
        else { return nil }
        self = mount
    }

    private init(place: String, type: String, isReadOnly: Bool, isWhole: Bool) {
        (self.place, self.type, self.isReadOnly, self.isWhole) = (place, type, isReadOnly, isWhole)
    }

    /// How many bytes a file on it can have; nil where that is not known of its kind.
    package var fileByteCountMax: Int64? {
        switch type {
        case "btrfs", "tmpfs", "xfs": return .max
        case "msdos", "vfat": return Int64(UInt32.max)
        case "ext4":
            // A file's blocks are counted in 32 bits. What cannot be looked at does not tell.
            guard let top = try? SystemCalls.openPath(FilePath(place)),
                let byteCount = try? SystemCalls.blockByteCount(of: top)
            else { return nil }
            return byteCount * Int64(UInt32.max)
        default: return nil
        }
    }

    private static let localTypes: Set<String> = [
        "bcachefs", "btrfs", "exfat", "ext2", "ext3", "ext4", "f2fs", "fuseblk", "hfsplus", "jfs", "msdos",
        "ntfs",
        "ntfs3", "overlay", "tmpfs", "vfat", "xfs", "zfs",
    ]

    /// Whether a person's items may be put there, and are looked for without waiting for another machine.
    package var isLocalForItems: Bool {
        !isReadOnly && Self.localTypes.contains(type)
            && !["/proc", "/sys", "/dev/pts"].contains { place == $0 || place.hasPrefix($0 + "/") }
    }
}
