internal import DocumentFoundation
internal import FileSystem
internal import Locks

extension UIDocument {
    nonisolated func autosaveForPresenter(_ answer: @escaping @Sendable ((any Error)?) -> Void) {
        // It may be the main actor that waits to read: then it is told there, in its call, whether anything is unsaved.
        FileAccessRegistry.shared.performOnMain { [self] in
            // Somebody who only looks is no reason for a deleted file to come back.
            guard !isFileDeleted else { return answer(nil) }
            deviceContext.run {
                autosave { [self] saved in answer(saved ? nil : unsavedError) }
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
                work.isClosedForDeletion = true
                deviceContext.run {
                    close { [self] closed in
                        if !closed { work.isClosedForDeletion = false }
                        answer(closed ? nil : unsavedError)
                    }
                }
            }
        }
    }

    /// Whether the document is closed, or closes, because somebody who coordinates was about to delete or replace its file.
    var isClosedForDeletion: Bool { work.isClosedForDeletion }

    /// Why something is not on disk.
    var unsavedError: any Error {
        lastError ?? CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: fileURL])
    }

}
