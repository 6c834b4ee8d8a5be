public import Foundation

/// A type of data, file or folder, known by an identifier such as `public.jpeg`.
///
/// Types are known from the system's tree, which is built in; from the app's Info.plist
/// (`UTExportedTypeDeclarations`, `UTImportedTypeDeclarations`); and from their own identifier if they are
/// dynamic, that is made from a tag that nobody declares. The app's Info.plist is read once, at first use;
/// see `AppInfo` for where it is looked for. A type is its identifier: copies cost nothing, and every
/// question is a look into a table. All of it may be used on any thread.
///
/// - Source: Apple's documentation and headers of UniformTypeIdentifiers.
/// - Differs from Darwin: no bridging by `as` to `UTTypeReference`; use its initializer. Dynamic identifiers
///   are spelled differently. Where the shared MIME-info database of the desktop is installed, a dynamic type
///   made from an extension or MIME type it knows has both tags and conforms to what the MIME type suggests.
public struct UTType: Hashable, Sendable {
    /// The type's name, spelled as it was declared.
    public let identifier: String

    /// A type that is known to be declared, or was looked up.
    init(known identifier: String) {
        self.identifier = identifier
    }

    /// The class for where an object is needed.
    public typealias ReferenceType = UTTypeReference

    // MARK: Getting types

    /// Finds a declared or dynamic type by identifier, in any case of letters; nil if nobody declares it.
    public init?(_ identifier: String) {
        guard let known = TypeRegistry.shared.catalogue.declaration(of: identifier),
            known.origin != .undeclared
        else { return nil }
        self.init(known: known.identifier)
    }

    /// Finds the preferred type with an extension, or makes a dynamic one.
    ///
    /// - Parameters:
    ///   - filenameExtension: The extension without its dot, in any case.
    ///   - supertype: What the type must conform to; for packages give `.package` or `.directory`.
    /// - Returns: nil if the extension is empty or has a slash or control character in it.
    public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
        self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
    }

    /// Finds the preferred type with a MIME type, or makes a dynamic one.
    ///
    /// - Parameters:
    ///   - mimeType: The MIME type without parameters, in any case.
    ///   - supertype: What the type must conform to.
    /// - Returns: nil if the MIME type is empty or has a control character in it.
    public init?(mimeType: String, conformingTo supertype: UTType = .data) {
        self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
    }

    /// Finds the preferred type with a tag, or makes a dynamic one.
    ///
    /// - Parameters:
    ///   - tag: The tag, such as an extension.
    ///   - tagClass: What kind of tag it is.
    ///   - supertype: What the type must conform to; nil for anything.
    /// - Returns: nil if the tag cannot be one, as it is empty.
    public init?(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) {
        let found = TypeRegistry.shared.identifiers(
            tag: tag,
            tagClass: tagClass,
            conformingTo: supertype?.identifier
        )
        guard let first = found.first else { return nil }
        self.init(known: first)
    }

    /// All declared types with a tag, preferred one first, or a dynamic one if there is none.
    ///
    /// - Parameters: As of `init(tag:tagClass:conformingTo:)`.
    public static func types(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) -> [UTType] {
        TypeRegistry.shared.identifiers(tag: tag, tagClass: tagClass, conformingTo: supertype?.identifier)
            .map { UTType(known: $0) }
    }

    /// The type that the app defines and declares under `UTExportedTypeDeclarations`.
    ///
    /// If nobody declares it, one line on standard error says so, and the type is what the arguments say.
    ///
    /// - Parameters:
    ///   - identifier: The type's identifier.
    ///   - parentType: What it conforms to if it is not declared; a declaration's own word is preferred.
    public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self.init(identifier, conformingTo: parentType, key: "UTExportedTypeDeclarations")
    }

    /// The type of somebody else that the app uses and declares under `UTImportedTypeDeclarations`.
    ///
    /// If nobody declares it, one line on standard error says so, and the type is what the arguments say.
    ///
    /// - Parameters:
    ///   - identifier: The type's identifier.
    ///   - parentType: What it conforms to if it is not declared; a declaration's own word is preferred.
    public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
        self.init(identifier, conformingTo: parentType, key: "UTImportedTypeDeclarations")
    }

    private init(_ identifier: String, conformingTo parentType: UTType?, key: String) {
        let adopted = TypeRegistry.shared.adopt(identifier, conformingTo: parentType?.identifier)
        if adopted.isNew {
            AppInfo.warn(
                "the type \(identifier) is used but not declared; declare it in Info.plist under \(key)"
            )
        }
        self.init(known: adopted.identifier)
    }

    // MARK: Asking types

    private var declaration: TypeDeclaration? {
        TypeRegistry.shared.catalogue.declaration(of: identifier)
    }

    /// Whether the system, the app or another app declares the type.
    public var isDeclared: Bool {
        switch declaration?.origin {
        case .system, .exported, .imported, .registered: true
        case .undeclared, .dynamic, nil: false
        }
    }

    /// Whether the type was made from a tag: its identifier begins with `dyn.`.
    public var isDynamic: Bool { DynamicIdentifier.isDynamic(identifier) }

    /// Whether the type belongs to everybody: its identifier begins with `public.`.
    public var isPublic: Bool { identifier.lowercased().hasPrefix("public.") }

    /// Whether the type is another type, or conforms to it directly or through others.
    public func conforms(to type: UTType) -> Bool {
        TypeRegistry.shared.catalogue.conforms(identifier, to: type.identifier)
    }

    /// Whether the type conforms to another type and is not that type.
    public func isSubtype(of type: UTType) -> Bool { self != type && conforms(to: type) }

    /// Whether another type conforms to this one and is not this one.
    public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }

    /// Every type that this one conforms to, directly or through others, without itself.
    public var supertypes: Set<UTType> {
        Set(TypeRegistry.shared.catalogue.supertypes(of: identifier).map { UTType(known: $0) })
    }

    /// The names that data of this very type carries, by kind, preferred ones first.
    public var tags: [UTTagClass: [String]] { declaration?.tags ?? [:] }

    /// The extension that files of this type should have, without dot; nil for types such as `.data`.
    public var preferredFilenameExtension: String? { tags[.filenameExtension]?.first }

    /// The MIME type that data of this type should be sent with.
    public var preferredMIMEType: String? { tags[.mimeType]?.first }

    /// What people call the type, or else what they call the nearest type it conforms to; nil for dynamic
    /// types.
    ///
    /// The app's descriptions are looked up in the main bundle's `InfoPlist` table.
    ///
    /// - Differs from Darwin: the built-in types' descriptions are ours, and in English.
    public var localizedDescription: String? {
        guard !isDynamic else { return nil }
        let catalogue = TypeRegistry.shared.catalogue
        var waiting = [identifier]
        var seen: Set<String> = []
        while !waiting.isEmpty {
            let next = waiting.removeFirst()
            guard seen.insert(next.lowercased()).inserted, let known = catalogue.declaration(of: next) else {
                continue
            }
            if let description = known.typeDescription {
                return Bundle.main.localizedString(
                    forKey: description,
                    value: description,
                    table: "InfoPlist"
                )
            }
            waiting += known.supertypes
        }
        return nil
    }

    /// Where the type's format is described, as the app declares it under `UTTypeReferenceURL`.
    public var referenceURL: URL? { declaration?.referenceURL.flatMap { URL(string: $0) } }

    /// The version of the type's declaration, as the app declares it under `UTTypeVersion`.
    public var version: Int? { declaration?.version }
}

extension UTType: Codable {
    /// Reads the identifier that `encode(to:)` wrote.
    ///
    /// - Throws: `DecodingError.dataCorrupted` if nobody declares such a type.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let identifier = try container.decode(String.self)
        guard let known = TypeRegistry.shared.catalogue.declaration(of: identifier) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "No type \(identifier) is declared; the app's Info.plist can import it."
            )
        }
        self.init(known: known.identifier)
    }

    /// Writes the identifier.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(identifier)
    }
}

extension UTType: CustomStringConvertible, CustomDebugStringConvertible {
    /// The identifier.
    public var description: String { identifier }

    /// The identifier and what it is.
    public var debugDescription: String {
        "\(identifier) (\(isDynamic ? "dynamic" : isDeclared ? "declared" : "not declared"))"
    }
}
