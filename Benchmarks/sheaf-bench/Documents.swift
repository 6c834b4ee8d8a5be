import UIKit

/// A document that is one file.
final class FileDocument: UIDocument {
    var data = Data()

    override func contents(forType typeName: String) throws -> Any { data }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let contents = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
        data = contents
    }
}

/// A document that is a folder of members.
final class PackageDocument: UIDocument {
    private(set) var top = FileWrapper(directoryWithFileWrappers: [:])
    /// The member read while the document is opened, by folder and name.
    var wanted: (folder: String, name: String)?
    private(set) var wantedByteCount = 0

    override func contents(forType typeName: String) throws -> Any { top }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let wrapper = contents as? FileWrapper else { throw CocoaError(.fileReadCorruptFile) }
        top = wrapper
        guard let wanted else { return }
        let member = top.fileWrappers?[wanted.folder]?.fileWrappers?[wanted.name]
        guard let data = member?.regularFileContents else { throw CocoaError(.fileReadNoSuchFile) }
        wantedByteCount = data.count
    }

    /// Gives a member other contents, as an app does: another wrapper under the same name.
    func replace(_ name: String, in folder: String, with data: Data) throws {
        guard let parent = top.fileWrappers?[folder], let member = parent.fileWrappers?[name] else {
            throw BenchmarkFailure("the package has no member \(folder)/\(name)")
        }
        parent.removeFileWrapper(member)
        let successor = FileWrapper(regularFileWithContents: data)
        successor.preferredFilename = name
        _ = parent.addFileWrapper(successor)
    }
}

extension UIDocument {
    /// Saves over itself.
    ///
    /// - Returns: Seconds from the call on the main actor to the handler.
    func timedSave() async throws -> Double {
        let (saved, elapsed) = await withCheckedContinuation { continuation in
            let start = now()
            save(to: fileURL, for: .forOverwriting) { saved in
                continuation.resume(returning: (saved, now() - start))
            }
        }
        guard saved else { throw BenchmarkFailure("\(fileURL.path) was not saved") }
        return elapsed
    }

    /// - Returns: Seconds from the call on the main actor to the handler.
    func timedOpen() async throws -> Double {
        let (opened, elapsed) = await withCheckedContinuation { continuation in
            let start = now()
            open { opened in continuation.resume(returning: (opened, now() - start)) }
        }
        guard opened else { throw BenchmarkFailure("\(fileURL.path) was not opened") }
        return elapsed
    }

    /// Waits until what follows a save on the document's own queue is done.
    func settle() async {
        await withCheckedContinuation { continuation in
            performAsynchronousFileAccess { continuation.resume() }
        }
    }
}
