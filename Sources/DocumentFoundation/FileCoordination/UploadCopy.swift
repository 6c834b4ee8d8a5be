internal import Foundation

/// A copy of a file as it was, under the file's name, for someone who will take long to read it.
struct UploadCopy {
    let url: URL
    private let folder: URL

    /// Copies a file.
    ///
    /// - Throws: `CocoaError.featureUnsupported` for a directory; else what copying it throws.
    init(of original: URL) throws {
        var isDirectory: ObjCBool = false
        if FileManager.default.fileExists(atPath: original.path, isDirectory: &isDirectory),
            isDirectory.boolValue
        {
            let why =
                "A directory cannot be read for uploading. Read it as it is, or pack it into a file first."
            throw CocoaError(
                .featureUnsupported,
                userInfo: [NSURLErrorKey: original, NSLocalizedFailureReasonErrorKey: why]
            )
        }
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("upload-\(UUID().uuidString)", isDirectory: true)
        url = folder.appendingPathComponent(original.lastPathComponent, isDirectory: false)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            try FileManager.default.copyItem(at: original, to: url)
        } catch {
            remove()
            throw error
        }
    }

    /// Removes the copy, if it is still there.
    func remove() {
        // The accessor may have taken it away, and a leftover is the temporary directory's to clean.
        try? FileManager.default.removeItem(at: folder)
    }
}
