internal import Foundation

/// Gives an open document another name.
@MainActor
enum DocumentRenaming {
    /// Renames the document's file in its folder; the document follows it.
    static func rename(_ document: UIDocument, to name: String, _ answer: @escaping Acts.Answer) throws {
        let url = document.fileURL
        let kinds = BrowserKinds.make(opening: [])
        let location = try BrowserLocation(url.deletingLastPathComponent(), kinds: kinds)
        let operations = FolderOperations(location: location)
        Task {
            do {
                let outcome = try await operations.rename(
                    url.lastPathComponent,
                    to: name,
                    showsExtension: false
                )
                if let failure = outcome.failures.first { throw failure }
                let title = outcome.items.first.map { ($0.name as NSString).deletingPathExtension }
                answer(.success(["title": title ?? document.localizedName]))
            } catch {
                let text = (error as? BrowserError)?.fullText ?? error.localizedDescription
                answer(.failure(Acts.Refusal("“\(document.localizedName)” keeps its name", text)))
            }
        }
    }
}
