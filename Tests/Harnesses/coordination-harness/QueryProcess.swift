import Dispatch
import DocumentFoundation
import Foundation

/// A process with a standing query for all that is in a folder, or in the documents of its containers.
///
/// It says `found COUNT` once it has looked, and `now COUNT` whenever it is told that something is otherwise. It ends with its
/// standard input.
enum QueryProcess {
    /// - Parameter scope: A folder's path; nil for the documents of containers.
    static func run(_ scope: String?) {
        let query = NSMetadataQuery()
        query.searchScopes = [scope ?? NSMetadataQueryUbiquitousDocumentsScope]
        query.predicate = NSPredicate(format: "%K LIKE '*'", NSMetadataItemFSNameKey)
        say(of: .NSMetadataQueryDidFinishGathering, of: query, "found")
        say(of: .NSMetadataQueryDidUpdate, of: query, "now")
        DispatchQueue.main.async { query.start() }
        Thread.detachNewThread {
            while readLine() != nil {}
            exit(0)
        }
        withExtendedLifetime(query) { dispatchMain() }
    }

    private static func say(of name: Notification.Name, of query: NSMetadataQuery, _ word: String) {
        // As long as the process.
        _ = NotificationCenter.default.addObserver(forName: name, object: query, queue: nil) { note in
            guard let query = note.object as? NSMetadataQuery else { return }
            ScriptedProcess.say("\(word) \(query.resultCount)")
        }
    }
}
