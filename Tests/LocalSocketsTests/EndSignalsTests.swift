import Dispatch
import Foundation
import LocalSockets
import TestThreads
import Testing

@Suite("Signals to end", .onOwnThreads, .serialized)
struct EndSignalsTests {
    @Test("A signal is heard from the moment on at which somebody listens")
    func atOnce() {
        for _ in 0..<20 {
            let isHeard = DispatchSemaphore(value: 0)
            // One that nobody listens to would end this process.
            let signals = EndSignals([SIGUSR1, SIGUSR2]) { isHeard.signal() }
            withExtendedLifetime(signals) {
                kill(getpid(), SIGUSR1)
                #expect(isHeard.wait(timeout: .now() + 60) == .success)
                kill(getpid(), SIGUSR2)
                #expect(isHeard.wait(timeout: .now() + 60) == .success)
            }
        }
    }
}
