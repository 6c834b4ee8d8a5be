internal import Foundation
internal import HTTPService

/// The page's own files, all in memory: what is not in this table cannot be asked for.
struct PageFiles: Sendable {
    /// All files together may have so many bytes; more is a folder given by mistake.
    private static let byteCountMax = 64 << 20

    /// By path below the folder.
    private let responses: [String: WebResponse]

    /// Reads all regular files of a folder and the folders in it.
    ///
    /// Links are left out.
    init(directory: URL) throws(WebHostError) {
        var responses: [String: WebResponse] = [:]
        var byteCount = 0
        do {
            for path in try FileManager.default.subpathsOfDirectory(atPath: directory.path) {
                let url = directory.appendingPathComponent(path)
                let type =
                    try FileManager.default.attributesOfItem(atPath: url.path)[.type] as? FileAttributeType
                guard type == .typeRegular else { continue }
                let data = try Data(contentsOf: url)
                byteCount += data.count
                guard byteCount <= Self.byteCountMax else { throw CocoaError(.fileReadTooLarge) }
                responses[path] = Self.response(data, pathExtension: url.pathExtension)
            }
        } catch {
            throw WebHostError(
                code: .pageUnreadable,
                url: directory,
                detail:
                    "The page's files cannot be read: \(error.localizedDescription) Reinstall the program."
            )
        }
        self.responses = responses
    }

    /// The answer with the file at a path, with its tag; nil for anything that was not there at the start.
    func response(at path: String) -> WebResponse? {
        responses[path]
    }

    private static func response(_ data: Data, pathExtension: String) -> WebResponse {
        WebResponse(
            status: 200,
            headers: [
                WebHeader("Content-Type", MediaTypes.type(forExtension: pathExtension)),
                WebHeader("ETag", "\"\(Hexadecimal.text(SHA1.digest(Array(data))))\""),
                WebHeader("Cache-Control", "no-cache"),
            ],
            body: .bytes(data)
        )
    }
}
