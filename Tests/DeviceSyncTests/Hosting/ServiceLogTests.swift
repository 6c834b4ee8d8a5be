import Locks
import SyncMessages
import Testing

@testable import DeviceSync

@Suite("What has happened lately")
struct ServiceLogTests {
    @Test("The last thousand are remembered, and the last three hundred for a report")
    func count() {
        let log = ServiceLog()
        for number in 1...2345 {
            log.note(.failed(path: "\(number)", why: "why"), of: "folder")
            #expect(log.latest.count == min(number, 1000))
            #expect(log.reports(of: "folder").count == min(number, 300))
        }
        #expect(log.latest.first?.text.contains("1346") == true)
        #expect(log.latest.last?.text.contains("2345") == true)
        let told = Locked(0)
        let end = log.follow { _ in told.withLock { $0 += 1 } }
        #expect(told.withLock { $0 } == 1000)
        end()
    }
}
