import Foundation
import HubProtocol
import TestThreads
import Testing

@testable import DeviceSync

@Suite("Pages of a log", .onOwnThreads)
struct LogPagesTests {
    private let pages = LogPages()

    private func hash(_ byte: UInt8) -> LogHash { LogHash(unchecked: [UInt8](repeating: byte, count: 32)) }

    private func bytes(_ entries: [LogRecord], _ position: UInt64) throws -> Data {
        let page = LogPage(entries, head: LogHead(position: position, hash: hash(UInt8(position))))
        return try HubMessage.encoded(page, isSteady: true)
    }

    /// - Returns: The page, and whether it was taken apart for this.
    private func read(_ bytes: Data) throws -> (page: LogPage, isTakenApart: Bool) {
        var isTakenApart = false
        let page = try pages.read(bytes) {
            isTakenApart = true
            return try JSONDecoder().decode(LogPage.self, from: $0)
        }
        return (page, isTakenApart)
    }

    @Test("Each question is for what it is to ask for, also when it is asked again")
    func questions() {
        for (position, seconds): (UInt64, Int) in [
            (0, 0), (0, 0), (0, 50), (7, 50), (7, 50), (7, 0), (0, 50),
        ] {
            let expected = "?after=\(position)&limit=\(HubLimits.entryCountMax)&wait=\(seconds)"
            #expect(pages.query(after: position, waitSeconds: seconds) == expected)
        }
    }

    @Test("What says the same as the page before is taken apart once; what does not, each time")
    func same() throws {
        for position: UInt64 in [1, 2, 1] {
            for isNew in [true, false, false] {
                let read = try read(try bytes([], position))
                #expect(read.page.head == LogHead(position: position, hash: hash(UInt8(position))))
                #expect(read.page.entries.isEmpty && read.isTakenApart == isNew, "\(position)")
            }
        }
    }

    @Test("Nothing is kept of a page with entries, nor of what is no page")
    func others() throws {
        let entry = try LogRecord(sampleAt: 3, hash(3))
        for _ in 0..<2 {
            let read = try read(try bytes([entry], 3))
            #expect(read.page.entries == [entry] && read.isTakenApart)
            #expect(throws: DecodingError.self) { try self.read(Data("none".utf8)) }
        }
        #expect(try read(try bytes([], 3)).isTakenApart)
        #expect(try read(try bytes([entry], 3)).page.entries == [entry])
        #expect(try !read(try bytes([], 3)).isTakenApart)
    }
}
