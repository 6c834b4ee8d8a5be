internal import DocumentFoundation
internal import Foundation

// What a person sees of a conflict, and decides.
extension UIDocumentViewController {
    func describeConflict(of document: UIDocument, _ answer: @escaping Acts.Answer) throws {
        try requireConflict(document)
        Task {
            do { answer(.success(try await document.conflictDescription().message)) } catch {
                answer(.failure(Acts.Refusal("The versions cannot be shown", error)))
            }
        }
    }

    func settleConflict(
        of document: UIDocument,
        _ arguments: Acts.Arguments,
        _ answer: @escaping Acts.Answer
    ) throws {
        try requireConflict(document)
        let resolution = try resolution(arguments, document)
        let shown = arguments.values["shown"] == nil ? nil : Set(arguments.texts("shown"))
        Task {
            do {
                try await document.resolveConflict(resolution, among: shown)
                answer(.success(nil))
            } catch {
                answer(.failure(Acts.Refusal("“\(document.localizedName)” stays as it is", error)))
            }
        }
    }

    private func requireConflict(_ document: UIDocument) throws {
        guard document.documentState.contains(.inConflict) else {
            throw Acts.Refusal("There is only one version", "Somebody else has decided in the meantime.")
        }
    }

    private func resolution(
        _ arguments: Acts.Arguments,
        _ document: UIDocument
    ) throws -> ConflictResolution {
        switch try arguments.text("choice") {
        case "mine": return .current
        case "both": return .both
        case "merged": return .merged
        default:
            let name = try arguments.text("version")
            guard let version = document.conflictVersions.first(where: { $0.name == name }) else {
                throw Acts.Refusal("That version has gone", "Look at the versions again.")
            }
            return .version(version)
        }
    }
}
