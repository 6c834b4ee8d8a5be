internal import Foundation

/// What processes are called that write, asked for as soon as they are heard of: many end right after.
///
/// A process that has ended goes by what it was called when it was last heard of. Bounded; used on one thread.
struct WriterNames {
    /// How long a process that has ended is remembered. Its number is given again after all others have been:
    /// not so soon, by far.
    static let rememberedSeconds = 5.0
    /// How many are remembered.
    static let rememberedMax = 64

    private var known: [Int32: (writer: WriterProcess, at: Double)] = [:]
    private let ask: (Int32) -> WriterProcess?

    /// - Parameter ask: Says what runs under a number; nil when nothing does.
    init(asking ask: @escaping (Int32) -> WriterProcess? = WriterProcess.init(running:)) {
        self.ask = ask
    }

    /// The process with a number, by all that can be known of it.
    mutating func writer(_ processID: Int32, at now: Double) -> WriterProcess {
        if let writer = ask(processID) {
            known[processID] = (writer, now)
            if known.count > Self.rememberedMax { forgetOldest() }
            return writer
        }
        if let last = known[processID], now - last.at <= Self.rememberedSeconds { return last.writer }
        return WriterProcess(processID: processID, name: nil)
    }

    private mutating func forgetOldest() {
        guard let oldest = known.min(by: { $0.value.at < $1.value.at })?.key else { return }
        known[oldest] = nil
    }
}

extension WriterProcess {
    private static let nameByteCountMax = 64
    private static let deletedMark = " (deleted)"

    /// What runs under a number, as proc(5) tells; nil when nothing does any more.
    init?(running processID: Int32) {
        let folder = FilePath("/proc/\(processID)")
        // A process that has ended meanwhile has no name to give.
        guard let name = try? Self.name(in: folder) else { return nil }
        // Another user's program may not be asked; a program replaced while it runs bears the kernel's mark.
        let link = try? SystemCalls.readProcessLink(folder.appending("exe").string)
        let path = link.flatMap { $0 }.map { text in
            FilePath(text.hasSuffix(Self.deletedMark) ? String(text.dropLast(Self.deletedMark.count)) : text)
        }
        self.init(processID: processID, name: name, executable: path)
    }

    private static func name(in folder: FilePath) throws(SystemError) -> String {
        let file = try SystemCalls.openat(.working, folder.appending("comm").string, O_RDONLY)
        var bytes = [UInt8](repeating: 0, count: nameByteCountMax)
        let outcome = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try SystemCalls.read(file, into: buffer) }
        }
        let count = try outcome.get()
        return String(decoding: bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
