internal import DocumentFoundation
internal import FileSystem
internal import Locks

extension UIDocument {
    nonisolated func autosaveForPresenter(_ answer: @escaping @Sendable ((any Error)?) -> Void) {
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated {
                // Somebody who only looks is no reason for a deleted file to come back.
                guard !isFileDeleted else { return answer(nil) }
                deviceContext.run {
                    autosave { [self] saved in answer(saved ? nil : unsavedError) }
                }
            }
        }
    }

    nonisolated func accommodateDeletion(_ answer: @escaping @Sendable ((any Error)?) -> Void) {
        // Who coordinates asks before the item goes. What is gone already was removed by someone who does not.
        if OutsideDeletion.isTold || isAbsent(fileURL) && record.withLock({ $0.stamp != nil }) {
            noteFileGone()
            answer(nil)
            return
        }
        DispatchQueue.main.async { [self] in
            MainActor.assumeIsolated {
                deviceContext.run {
                    close { [self] closed in answer(closed ? nil : unsavedError) }
                }
            }
        }
    }

    /// Why something is not on disk.
    var unsavedError: any Error {
        lastError ?? CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: fileURL])
    }

}
