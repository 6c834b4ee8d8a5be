import Cryptography
import Dispatch
import Foundation
import Locks
import Testing

@Suite("KeyedHasher")
struct KeyedHasherTests {
    @Test("Hashers made on many threads at once are all ready, and agree")
    func threads() throws {
        let key = [UInt8](repeating: 7, count: 32)
        let message = Data("waves".utf8)
        let expected = try Array(MessageAuthentication.code(of: message, key: Data(key)))
        let failures = Locked<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for _ in 0..<500 {
                do {
                    let hasher = try KeyedHasher(key: key)
                    var code = [UInt8](repeating: 0, count: expected.count)
                    try message.withUnsafeBytes { bytes in
                        try code.withUnsafeMutableBytes { try hasher.code(of: bytes, into: $0) }
                    }
                    if code != expected { failures.withLock { $0.append("another code") } }
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }
}
