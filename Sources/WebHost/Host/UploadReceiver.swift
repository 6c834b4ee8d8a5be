internal import Foundation
internal import HTTPService
internal import Locks

/// Writes the body of one upload to a new file.
///
/// Its state is in one struct under one lock.
///
/// 1. The file is ours alone: it did not exist before, and it is removed unless the upload ends well.
/// 2. After the first error nothing more is written; the answer at the end names it.
final class UploadReceiver: Sendable {
    private struct State {
        var file: Descriptor?
        var byteCount: UInt64 = 0
        var failure: SystemCallFailure?
    }

    private let url: URL
    private let state: Locked<State>
    private let whenFinished: @Sendable (_ byteCount: UInt64) -> Void

    /// Makes the file, and the folder above it if that is missing.
    init(url: URL, whenFinished: @escaping @Sendable (UInt64) -> Void) throws {
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        let file = try SystemCalls.open(url.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
        self.url = url
        self.whenFinished = whenFinished
        state = Locked(State(file: file))
    }

    func receive(_ bytes: UnsafeRawBufferPointer) {
        let (file, hasFailed) = state.withLock { ($0.file, $0.failure != nil) }
        guard let file, !hasFailed else { return }
        do throws(SystemCallFailure) {
            try SystemCalls.writeAll(bytes, to: file)
            state.withLock { $0.byteCount += UInt64(bytes.count) }
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    func finish() -> WebResponse {
        let (byteCount, failure) = state.withLock { state in
            state.file = nil
            return (state.byteCount, state.failure)
        }
        if let failure {
            remove()
            return UploadReceiver.answer(to: failure)
        }
        whenFinished(byteCount)
        return WebResponse(status: 204)
    }

    func abandon() {
        state.withLock { $0.file = nil }
        remove()
    }

    /// What the person is told about an upload that could not be written.
    static func answer(to failure: SystemCallFailure) -> WebResponse {
        switch failure.errno {
        case ENOSPC, EDQUOT:
            .text("There is no room left for this file. Free some space and try again.", status: 507)
        case EEXIST: .text("This file is being uploaded already.", status: 409)
        case ENAMETOOLONG: .text("The name of this file is too long.", status: 400)
        default: .text("The file could not be written (\(failure)).", status: 500)
        }
    }

    private func remove() {
        // A file that cannot be removed lies in a folder for what is kept aside, and goes with that.
        _ = unlink(url.path)
    }
}
