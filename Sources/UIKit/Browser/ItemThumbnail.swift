internal import Dispatch
internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import HTTPService
internal import UniformTypeIdentifiers

/// The picture that stands for an item in the browser's list: one that is there, as nothing is drawn or scaled here.
///
/// A placeholder has one in itself, a package its own; of a file the desktop's programs may have made one, and a
/// picture that is small enough is its own.
struct ItemThumbnail: Sendable {
    /// Larger pictures are none: nobody is to wait for them, or to have the memory for them.
    static let byteCountMax = 2 << 20

    var contents: Data
    var type: PictureType

    /// The answer where there is none.
    static let none = WebResponse(status: 204)

    /// One after the other: a list that is scrolled asks for many, and other requests have threads to come through.
    private static let queue = DispatchQueue(label: "sheaf.browser.thumbnails", qos: .utility)

    /// Answers a request for the picture of an item.
    ///
    /// - Parameter id: Comes from a page and is not to be trusted.
    static func response(for id: String, in location: BrowserLocation) async -> WebResponse {
        let found = await withCheckedContinuation { goOn in
            queue.async { goOn.resume(returning: ItemThumbnail(of: id, in: location)) }
        }
        return found?.response ?? none
    }

    private var response: WebResponse {
        WebResponse(
            status: 200,
            headers: [
                WebHeader("Content-Type", type.rawValue),
                // The address has the item's stamp in it: of another state another address is asked for.
                WebHeader("Cache-Control", "private, max-age=86400"),
            ],
            body: .bytes(contents)
        )
    }

    /// Looks for it; nil for none, and for an item that is not in the location.
    ///
    /// Reads the disk.
    init?(of id: String, in location: BrowserLocation, _ shared: SharedThumbnails = .users) {
        // What is outside, hidden, gone or cannot be read has no picture.
        guard let place = try? location.place(of: id), place != location.root,
            let found = try? Self.contents(of: place, in: location, shared),
            found.count <= Self.byteCountMax, let type = PictureType(of: found),
            let size = PictureSize(of: found, type), size.hasAtMost(PictureSize.pointCountMax)
        else { return nil }
        (contents, self.type) = (found, type)
    }

    private static func contents(
        of place: FilePath,
        in location: BrowserLocation,
        _ shared: SharedThumbnails
    ) throws -> Data? {
        guard var stamp = try FileStamp.ifPresent(at: place) else {
            return Placeholder(standingFor: place)?.thumbnail
        }
        var path = place
        if stamp.kind == .symbolicLink {
            path = try place.resolved()
            guard path.isInside(location.root) else { return nil }
            stamp = try FileStamp(of: path)
        }
        switch stamp.kind {
        case .directory:
            guard location.kinds.isPackage(path.url(isDirectory: true)) else { return nil }
            return PackageThumbnail.contents(of: path, byteCountMax: byteCountMax)
        case .regular:
            let made = shared.thumbnail(
                of: path,
                modifiedSeconds: stamp.modificationSeconds,
                byteCountMax: byteCountMax
            )
            if let made { return made }
            guard stamp.byteCount <= byteCountMax, isPicture(place.name, location) else { return nil }
            return try FileReading.contents(of: path, expecting: stamp)
        default:
            return nil
        }
    }

    /// Whether a file says by its name that it is a picture; others are not read to find that out.
    private static func isPicture(_ name: String, _ location: BrowserLocation) -> Bool {
        let fileExtension = (name as NSString).pathExtension
        let identifier = location.kinds.type(fileExtension, .file).identifier
        return UTType(identifier)?.conforms(to: .image) == true
    }
}
