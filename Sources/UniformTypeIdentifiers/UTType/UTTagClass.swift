/// A kind of name that files and data carry and that types are found by.
public struct UTTagClass: RawRepresentable, Hashable, Codable, Sendable, CustomStringConvertible {
    /// The identifier of the tag class.
    public let rawValue: String

    /// Takes the identifier of a tag class.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Filename extensions without their dot: `public.filename-extension`.
    public static var filenameExtension: UTTagClass { UTTagClass(rawValue: "public.filename-extension") }

    /// MIME types: `public.mime-type`.
    public static var mimeType: UTTagClass { UTTagClass(rawValue: "public.mime-type") }

    /// The identifier of the tag class.
    public var description: String { rawValue }
}
