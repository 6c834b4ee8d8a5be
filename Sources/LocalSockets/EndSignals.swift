internal import Dispatch
internal import Foundation

/// Has something done when the process is told to end, as long as this lives.
///
/// A signal that comes before does what it does to any process: it ends it. None is passed over in between, as one would be that
/// is ignored until somebody listens: who sent it would wait for an end that does not come.
package final class EndSignals {
    /// By which most programs are told: also by the end of their terminal, unless they were begun so that they outlive it, as by
    /// `nohup`.
    package static var usual: [CInt] { [SIGTERM, SIGINT] + (isIgnored(SIGHUP) ? [] : [SIGHUP]) }

    private static func isIgnored(_ signal: CInt) -> Bool {
        var action = sigaction()
        guard sigaction(signal, nil, &action) == 0 else { return false }
        return action.__sigaction_handler.sa_handler.map { unsafeBitCast($0, to: Int.self) } == 1
    }

    private let sources: [any DispatchSourceSignal]

    /// Returns when signals are heard.
    ///
    /// - Parameters:
    ///   - signals: Their numbers.
    ///   - handle: Called for each that comes, one after another, on a queue of their own.
    package init(_ signals: [CInt] = EndSignals.usual, _ handle: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "sheaf.end-signals")
        let isRegistered = DispatchSemaphore(value: 0)
        sources = signals.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler(handler: handle)
            source.setRegistrationHandler { isRegistered.signal() }
            source.activate()
            return source
        }
        for _ in sources { isRegistered.wait() }
    }

    deinit { for source in sources { source.cancel() } }
}
