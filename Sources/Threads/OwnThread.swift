internal import CLinux
internal import Dispatch
internal import Glibc

/// Threads of their own, for what lasts or blocks.
///
/// Foundation's `Thread` does not say that the system has given it none: nothing runs then, and whoever waits for it waits for ever.
package enum OwnThread {
    /// Has the system begin a detached thread that does what it is given, as pthread_create(3) does.
    ///
    /// - Returns: 0, or why there is none: `EAGAIN` for want of threads.
    package typealias Maker =
        @Sendable (
            _ work: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer?,
            _ argument: UnsafeMutableRawPointer
        ) -> CInt

    /// Another one where a test wants there to be no threads.
    @TaskLocal package static var make: Maker = system

    private static let system: Maker = { work, argument in
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, work, argument)
        if code == 0 { pthread_detach(thread) }
        return code
    }

    /// Does something on a thread of its own.
    ///
    /// - Parameter name: The thread's; the system keeps its first 15 bytes.
    /// - Throws: Where there is no thread for it: then it is not done, and what it holds is let go.
    package static func start(
        _ name: String,
        _ body: @escaping @Sendable () -> Void
    ) throws(ThreadShortage) {
        let start = Unmanaged.passRetained(Start(name, body))
        let code = make(
            { argument in
                guard let argument else { return nil }
                let start = Unmanaged<Start>.fromOpaque(argument).takeRetainedValue()
                _ = cdoc_name_thread(start.name)
                start.body()
                return nil
            },
            start.toOpaque()
        )
        guard code != 0 else { return }
        start.release()
        throw ThreadShortage(name: name, errno: code)
    }

    /// Does something on a thread of its own, as soon as there is one: for what nobody could be told of that it is not done.
    ///
    /// - Parameter name: The thread's.
    package static func startInTime(_ name: String, _ body: @escaping @Sendable () -> Void) {
        do { try start(name, body) } catch {
            // Dispatch tries until it has a thread, and the caller does not wait for that.
            DispatchQueue(label: name, qos: .userInitiated).asyncAfter(
                deadline: .now() + pauseSeconds,
                execute: body
            )
        }
    }

    private static let pauseSeconds = 0.2
}

/// What a thread begins with.
private final class Start: Sendable {
    let name: String
    let body: @Sendable () -> Void

    init(_ name: String, _ body: @escaping @Sendable () -> Void) {
        // Of a longer name the system takes nothing.
        self.name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
        self.body = body
    }
}

/// The system has no thread for something.
package struct ThreadShortage: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the thread would have been called.
    package let name: String
    /// What pthread_create(3) has returned.
    package let errno: CInt

    /// For a person, without a full stop.
    package var why: String { "the system has no thread for “\(name)”: \(String(cString: strerror(errno)))" }
    /// In sentences: what somebody has to do.
    package var remedy: String {
        "End some of this user's processes, or allow more of them: ulimit -u, or TasksMax= of the service."
    }

    package var description: String { "\(why). \(remedy)" }
}
