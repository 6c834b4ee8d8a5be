package import FileSystem
package import Foundation

/// The picture that a package has of itself, where Quick Look keeps it.
package enum PackageThumbnail {
    private static let folderName = "QuickLook"
    private static let names = ["Thumbnail.png", "Thumbnail.jpg", "Thumbnail.jpeg"]

    /// Its bytes; nil for none, and for one that is too large.
    ///
    /// Links are not followed: they may lead out of the package.
    package static func contents(of package: FilePath, byteCountMax: Int) -> Data? {
        let folder = package.appending(folderName)
        // What cannot be read is no picture.
        guard (try? FileStamp.ifPresent(at: folder))?.kind == .directory else { return nil }
        for name in names {
            let place = folder.appending(name)
            guard let stamp = try? FileStamp.ifPresent(at: place), stamp.kind == .regular,
                stamp.byteCount <= byteCountMax
            else { continue }
            return try? FileReading.contents(of: place, mapped: false, expecting: stamp)
        }
        return nil
    }
}
