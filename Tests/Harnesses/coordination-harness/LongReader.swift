import DocumentFoundation
import Foundation

/// A program that reads an item for as long as it is told to: what others write with coordination waits meanwhile.
enum LongReader {
    /// Says "reads" once it has access, and gives it back when its standard input ends.
    static func run(_ path: String) throws {
        var (error, isJoined): (NSError?, Bool) = (nil, false)
        // Without changes: nobody is asked to save what is to wait.
        NSFileCoordinator().coordinate(
            readingItemAt: URL(fileURLWithPath: path),
            options: .withoutChanges,
            error: &error
        ) { _ in
            isJoined = FileAccessRegistry.shared.isJoined
            guard isJoined else { return }
            print("reads")
            fflush(nil)
            while readLine() != nil {}
        }
        if let error { throw error }
        guard isJoined else { throw HarnessFailure("the reader found no agent") }
    }
}
