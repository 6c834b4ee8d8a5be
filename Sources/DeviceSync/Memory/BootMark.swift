internal import FileSystem
internal import Foundation

/// How the process before this one ended: whether what programs had written and not synced may be gone.
///
///     start: the mark is this boot's ──▶ clean end: no mark
///
/// A mark of another boot says that the system ended under the process: a power cut, or a crash of the kernel. While a file waits
/// to be what it was, the mark stays the former one, so that the next start looks again. Pure, but for the boot's name.
enum FormerEnd: Hashable {
    /// By itself; or nobody has ever been here.
    case clean
    /// Killed, in this boot: the kernel has all that was written.
    case killed
    /// With the system.
    case cut

    /// - Parameters:
    ///   - mark: What the process before left; nil or empty for nothing.
    ///   - boot: What this boot is called; empty where nobody can say, and no file is taken for damaged.
    init(mark: [UInt8]?, boot: [UInt8]) {
        guard let mark, !mark.isEmpty else { self = .clean; return }
        self = mark == boot || boot.isEmpty ? .killed : .cut
    }
}

/// What tells one boot of this machine from another.
enum Boot {
    /// The kernel's name for it; empty where it has none.
    @Sendable static func name() -> [UInt8] {
        // A machine without it takes every blank file for an edit, as if nothing had happened.
        (try? Data(contentsOf: URL(fileURLWithPath: "/proc/sys/kernel/random/boot_id"))).map { Array($0) }
            ?? []
    }

    /// When it began, in nanoseconds since 1970, by the clock that files are dated by; before all files where the kernel does not
    /// tell.
    ///
    /// A clock that was set right meanwhile has it begin earlier or later than what was dated by it then.
    @Sendable static func time() -> Int64 {
        // Its line comes after those of all processors and interrupts, which may be many pages; Foundation reads one of such a file.
        time(in: ProcessFiles.text(at: FilePath("/proc/stat")) ?? "")
    }

    /// - Parameter text: What the kernel tells of itself.
    static func time(in text: String) -> Int64 {
        let line = text.split(separator: "\n").last { $0.hasPrefix("btime ") }
        let seconds = line?.split(separator: " ").last.flatMap { Int64($0) } ?? 0
        return seconds &* 1_000_000_000
    }
}
