import Cryptography
import Foundation
import Testing

@Suite("What libcrypto keeps", .timeLimit(.minutes(2)))
struct LibraryStateTests {
    @Test("A program that ends while its threads are at work with it ends as it says")
    func end() async {
        for _ in 0..<4 {
            await #expect(processExitsWith: .exitCode(7)) {
                LibraryState.keepToTheEnd()
                let begun = DispatchSemaphore(value: 0)
                for _ in 0..<8 {
                    Thread.detachNewThread {
                        begun.signal()
                        while (try? SHA256Hasher()) != nil {}
                    }
                }
                for _ in 0..<8 { begun.wait() }
                exit(7)
            }
        }
    }
}
