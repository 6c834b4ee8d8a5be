public import Foundation

// Names for files of a type. A name that has an extension of the type already, or of a type that conforms to
// it, is left alone: "puppy.jpg" is a good name for an image. Any other name gets the type's preferred
// extension, which for a type without one changes nothing.

extension UTType {
    /// A name that fits files of this type.
    fileprivate func name(from partialName: String) -> String {
        let present = (partialName as NSString).pathExtension
        guard !isValid(filenameExtension: present), let preferred = preferredFilenameExtension else {
            return partialName
        }
        return partialName + "." + preferred
    }

    private func isValid(filenameExtension: String) -> Bool {
        guard !filenameExtension.isEmpty else { return false }
        let lowered = filenameExtension.lowercased()
        if tags[.filenameExtension]?.contains(where: { $0.lowercased() == lowered }) == true { return true }
        return UTType.types(tag: lowered, tagClass: .filenameExtension, conformingTo: self).contains {
            $0.isDeclared
        }
    }
}

extension URL {
    /// The place of an item of a type in this folder.
    ///
    /// - Parameters:
    ///   - partialName: The item's name, with or without extension.
    ///   - contentType: The item's type, whose preferred extension is added unless the name has a fitting
    ///     one.
    /// - Returns: A URL with a final slash if the type is one of folders.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
        appendingPathComponent(
            contentType.name(from: partialName),
            isDirectory: contentType.conforms(to: .directory)
        )
    }

    /// This place with the preferred extension of a type, unless it has a fitting one.
    public func appendingPathExtension(for contentType: UTType) -> URL {
        let name = lastPathComponent
        guard !name.isEmpty, name != "/" else { return self }
        let newName = contentType.name(from: name)
        guard newName != name else { return self }
        return deletingLastPathComponent().appendingPathComponent(newName, isDirectory: hasDirectoryPath)
    }

    /// Changes the URL to `appendingPathComponent(_:conformingTo:)`.
    public mutating func appendPathComponent(_ partialName: String, conformingTo contentType: UTType) {
        self = appendingPathComponent(partialName, conformingTo: contentType)
    }

    /// Changes the URL to `appendingPathExtension(for:)`.
    public mutating func appendPathExtension(for contentType: UTType) {
        self = appendingPathExtension(for: contentType)
    }
}

extension NSURL {
    /// As `URL.appendingPathComponent(_:conformingTo:)`.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
        (self as URL).appendingPathComponent(partialName, conformingTo: contentType)
    }

    /// As `URL.appendingPathExtension(for:)`.
    public func appendingPathExtension(for contentType: UTType) -> URL {
        (self as URL).appendingPathExtension(for: contentType)
    }
}

extension NSString {
    /// The path of an item of a type in the folder that this string names.
    ///
    /// - Parameters:
    ///   - partialName: The item's name, with or without extension.
    ///   - contentType: The item's type, whose preferred extension is added unless the name has a fitting
    ///     one.
    public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> String {
        appendingPathComponent(contentType.name(from: partialName))
    }

    /// This path with the preferred extension of a type, unless it has a fitting one.
    public func appendingPathExtension(for contentType: UTType) -> String {
        contentType.name(from: self as String)
    }
}
