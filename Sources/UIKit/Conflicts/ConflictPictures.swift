internal import Foundation

/// Pictures among the versions that a person is shown, as addresses which hold the bytes themselves.
struct ConflictPictures {
    /// Larger ones are not shown: nobody is to wait for them.
    static let byteCountMax = 4 << 20
    /// What may still be sent, for all versions together.
    private var room = 16 << 20
    /// What the page may still have to draw, all of it at once.
    private var pointRoom = 3 * PictureSize.pointCountMax

    /// What bytes show; nil for what is no picture that browsers know, is too large, or one too many.
    mutating func address(of contents: Data) -> String? {
        guard contents.count <= min(Self.byteCountMax, room), let type = PictureType(of: contents),
            let size = PictureSize(of: contents, type),
            size.hasAtMost(min(PictureSize.pointCountMax, pointRoom))
        else { return nil }
        room -= contents.count
        pointRoom -= size.width * size.height
        return "data:\(type.rawValue);base64,\(contents.base64EncodedString())"
    }
}
