public import Foundation

/// A `UTType` as an object, for where Apple's programs need a class.
///
/// It never changes and may be used on any thread.
///
/// - Differs from Darwin: `UTType` and this class do not bridge by `as`; use `init(_:)` of either.
public final class UTTypeReference: NSObject, NSCopying, NSSecureCoding, Sendable {
    private let type: UTType

    /// An object for a type.
    public init(_ type: UTType) { self.type = type }

    /// As `UTType.init(_:)`.
    public convenience init?(_ identifier: String) {
        guard let type = UTType(identifier) else { return nil }
        self.init(type)
    }

    /// As `UTType.init(filenameExtension:conformingTo:)`.
    public convenience init?(filenameExtension: String) {
        self.init(filenameExtension: filenameExtension, conformingTo: .data)
    }

    /// As `UTType.init(filenameExtension:conformingTo:)`.
    public convenience init?(filenameExtension: String, conformingTo supertype: UTType) {
        guard let type = UTType(filenameExtension: filenameExtension, conformingTo: supertype) else {
            return nil
        }
        self.init(type)
    }

    /// As `UTType.init(mimeType:conformingTo:)`.
    public convenience init?(mimeType: String) {
        self.init(mimeType: mimeType, conformingTo: .data)
    }

    /// As `UTType.init(mimeType:conformingTo:)`.
    public convenience init?(mimeType: String, conformingTo supertype: UTType) {
        guard let type = UTType(mimeType: mimeType, conformingTo: supertype) else { return nil }
        self.init(type)
    }

    /// As `UTType.init(tag:tagClass:conformingTo:)`.
    public convenience init?(tag: String, tagClass: String, conformingTo supertype: UTType?) {
        let tagClass = UTTagClass(rawValue: tagClass)
        guard let type = UTType(tag: tag, tagClass: tagClass, conformingTo: supertype) else { return nil }
        self.init(type)
    }

    /// As `UTType.init(exportedAs:conformingTo:)`.
    public convenience init(exportedAs identifier: String) { self.init(UTType(exportedAs: identifier)) }

    /// As `UTType.init(exportedAs:conformingTo:)`.
    public convenience init(exportedAs identifier: String, conformingTo parentType: UTType) {
        self.init(UTType(exportedAs: identifier, conformingTo: parentType))
    }

    /// As `UTType.init(importedAs:conformingTo:)`.
    public convenience init(importedAs identifier: String) { self.init(UTType(importedAs: identifier)) }

    /// As `UTType.init(importedAs:conformingTo:)`.
    public convenience init(importedAs identifier: String, conformingTo parentType: UTType) {
        self.init(UTType(importedAs: identifier, conformingTo: parentType))
    }

    /// As `UTType.types(tag:tagClass:conformingTo:)`.
    public class func types(tag: String, tagClass: String, conformingTo supertype: UTType?) -> [UTType] {
        UTType.types(tag: tag, tagClass: UTTagClass(rawValue: tagClass), conformingTo: supertype)
    }

    /// As `UTType.identifier`.
    public var identifier: String { type.identifier }

    /// As `UTType.isDeclared`.
    public var isDeclared: Bool { type.isDeclared }

    /// As `UTType.isDynamic`.
    public var isDynamic: Bool { type.isDynamic }

    /// As `UTType.isPublic`.
    public var isPublic: Bool { type.isPublic }

    /// As `UTType.tags`, by the tag classes' identifiers.
    public var tags: [String: [String]] {
        Dictionary(uniqueKeysWithValues: type.tags.map { ($0.key.rawValue, $0.value) })
    }

    /// As `UTType.supertypes`.
    public var supertypes: Set<UTType> { type.supertypes }

    /// As `UTType.preferredFilenameExtension`.
    public var preferredFilenameExtension: String? { type.preferredFilenameExtension }

    /// As `UTType.preferredMIMEType`.
    public var preferredMIMEType: String? { type.preferredMIMEType }

    /// As `UTType.localizedDescription`.
    public var localizedDescription: String? { type.localizedDescription }

    /// As `UTType.version`.
    public var version: NSNumber? { type.version.map { NSNumber(value: $0) } }

    /// As `UTType.referenceURL`.
    public var referenceURL: URL? { type.referenceURL }

    /// As `UTType.conforms(to:)`.
    public func conforms(to type: UTType) -> Bool { self.type.conforms(to: type) }

    /// As `UTType.isSubtype(of:)`.
    public func isSubtype(of type: UTType) -> Bool { self.type.isSubtype(of: type) }

    /// As `UTType.isSupertype(of:)`.
    public func isSupertype(of type: UTType) -> Bool { self.type.isSupertype(of: type) }

    // MARK: As an object

    /// Whether another object stands for the same type.
    public override func isEqual(_ object: Any?) -> Bool { (object as? UTTypeReference)?.type == type }

    /// The same for objects of the same type.
    public override var hash: Int { type.hashValue }

    /// The type's identifier.
    public override var description: String { identifier }

    /// Itself, since it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// True: only the identifier is archived.
    public static var supportsSecureCoding: Bool { true }

    private static let identifierKey = "identifier"

    /// Archives the identifier.
    public func encode(with coder: NSCoder) {
        coder.encode(identifier as NSString, forKey: Self.identifierKey)
    }

    /// Reads an archived identifier; nil if nobody declares such a type.
    public convenience init?(coder: NSCoder) {
        guard let identifier = coder.decodeObject(of: NSString.self, forKey: Self.identifierKey) else {
            return nil
        }
        self.init(identifier as String)
    }
}

extension UTType {
    /// The type that an object stands for.
    public init(_ reference: UTTypeReference) { self.init(known: reference.identifier) }
}
