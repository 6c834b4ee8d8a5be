import Dispatch
import Foundation
import Locks
import TestThreads
import Testing
import Threads

@testable import LocalSockets

@Suite("Memory of a process", .onOwnThreads)
struct ProcessMemoryTests {
    /// How much of files is mapped and in memory, in kibibytes.
    private func fileKibibytes() throws -> Int { try memoryKibibytes("RssFile") }

    private func memoryKibibytes(_ kind: String) throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix(kind + ":") })
        return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
    }

    /// Gives pages back. Of the files of the program and its libraries, how many kibibytes of their beginnings are in memory right
    /// then, and how many files there are.
    private func beginningsAfterReturn() throws -> (kibibytes: Int, files: Int) {
        let descriptor = open("/proc/self/smaps", O_RDONLY)
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 4 << 20)
        var count = 0
        bytes.withUnsafeMutableBytes { bytes in
            ProcessMemory.returnProgramPages()
            // Nothing else comes in between: whatever is called for the first time is looked for in all libraries.
            while case let more = read(
                descriptor,
                bytes.baseAddress?.advanced(by: count),
                bytes.count - count
            ), more > 0 {
                count += more
            }
        }
        let mappings = String(decoding: bytes[..<count], as: UTF8.self)
        var (kibibytes, files, isBeginning) = (0, 0, false)
        for line in mappings.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words.count >= 5, words[0].contains("-") {
                isBeginning = words[1] == "r--p" && words[2] == "00000000" && line.contains(".so")
                files += isBeginning ? 1 : 0
            } else if isBeginning, words[0] == "Rss:" {
                kibibytes += Int(words[1]) ?? 0
            }
        }
        return (kibibytes, files)
    }

    @Test("To give pages back brings none into memory")
    func headers() throws {
        var found = try beginningsAfterReturn()
        for _ in 0..<5 where found.kibibytes >= 32 * found.files {
            // Other tests touch some again meanwhile.
            found = try beginningsAfterReturn()
        }
        #expect(found.files > 4 && found.kibibytes < 32 * found.files, "\(found)")
    }

    @Test("Code and constants that were given back are there when they are needed again")
    func programPages() throws {
        // What is touched by this alone is in memory by now.
        let numbers = (0..<1000).map { _ in Int.random(in: 0...999) }
        _ = try fileKibibytes()
        var before = 0
        var after = 0
        for _ in 0..<5 {
            before = try fileKibibytes()
            ProcessMemory.returnProgramPages()
            after = try fileKibibytes()
            // Other tests touch some again meanwhile.
            if after < before { break }
        }
        #expect(after < before)
        let formatter = DateFormatter()
        formatter.dateFormat = "yyyy"
        formatter.timeZone = TimeZone(identifier: "UTC")
        #expect(formatter.string(from: Date(timeIntervalSince1970: 0)) == "1970")
        #expect(numbers.sorted().reduce(0, +) == numbers.reduce(0, +))
        #expect(throws: CocoaError.self) { try String(contentsOfFile: "/proc/self/nothing", encoding: .utf8) }
    }

    @Test(
        "What is to be on another heap than a thread on the program's first is, however many threads share them"
    )
    func otherHeap() throws {
        // No heap is free while these live: the C library has eight for each processor, and threads get them in turn.
        let (isThere, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let holderCount = 8 * ProcessInfo.processInfo.processorCount + 8
        for _ in 0..<holderCount {
            Thread.detachNewThread {
                _ = ProcessMemory.isOnFirstHeap
                isThere.signal()
                end.wait()
            }
            isThere.wait()
        }
        defer { for _ in 0..<holderCount { end.signal() } }
        var firstCounts: [Int] = []
        for _ in 0..<20 * holderCount where firstCounts.count < 4 {
            let count: Int? = try onNewThread {
                guard ProcessMemory.isOnFirstHeap else { return nil }
                let (firstCount, isDone) = (Locked(0), DispatchSemaphore(value: 0))
                for _ in 0..<100 {
                    ProcessMemory.onOtherHeap("test") {
                        if ProcessMemory.isOnFirstHeap { firstCount.withLock { $0 += 1 } }
                        isDone.signal()
                    }
                    isDone.wait()
                }
                return firstCount.withLock { $0 }
            }
            if let count { firstCounts.append(count) }
        }
        #expect(firstCounts == [0, 0, 0, 0])
    }

    @Test("Where there is no thread for it, it is done all the same, before who wants it goes on")
    func withoutThread() {
        let isDone = Locked(false)
        OwnThread.$make.withValue({ _, _ in EAGAIN }) {
            ProcessMemory.onOtherHeap("test") { isDone.withLock { $0 = true } }
        }
        #expect(isDone.withLock { $0 })
    }

    @Test("A thread for which room was made has it, and none of that is in memory yet")
    func room() throws {
        let byteCount = 16 << 20
        var (before, after, mapped): (Int, Int, Int?) = (0, 0, nil)
        // Threads share heaps: the piece may lie in one of another's, where no room was made.
        for _ in 0..<20 where mapped ?? 0 < byteCount {
            (before, after, mapped) = try onNewThread {
                let before = try memoryKibibytes("RssAnon")
                ProcessMemory.makeRoom(byteCount: byteCount)
                return (
                    before, try memoryKibibytes("RssAnon"), try writableByteCount(around: malloc(32 << 10))
                )
            }
        }
        #expect(try #require(mapped) >= byteCount)
        // Each piece has its length in front, and other tests take some meanwhile.
        #expect(after - before < byteCount >> 11, "\(before) to \(after) KiB")
    }

    private func onNewThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value
    {
        let (result, isDone) = (Locked<Result<Value, any Error>?>(nil), DispatchSemaphore(value: 0))
        let thread = Thread {
            let made = Result { try body() }
            result.withLock { $0 = made }
            isDone.signal()
        }
        thread.start()
        isDone.wait()
        return try #require(result.withLock { $0 }).get()
    }

    /// How large the mapping is that a piece of memory is in; that is given back.
    ///
    /// - Returns: Nil when it is in the main thread's, which other threads get where there are many; or when it was not
    ///   found, as mappings came and went meanwhile.
    private func writableByteCount(around piece: UnsafeMutableRawPointer?) throws -> Int? {
        defer { free(piece) }
        let address = UInt(bitPattern: piece)
        let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd()
        for line in String(decoding: try #require(maps), as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if ends.count == 2, fields[1].hasPrefix("rw"), (ends[0]..<ends[1]).contains(address) {
                return line.hasSuffix("[heap]") ? nil : Int(ends[1] - ends[0])
            }
        }
        return nil
    }
}
