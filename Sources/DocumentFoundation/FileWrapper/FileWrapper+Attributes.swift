internal import FileSystem
internal import Foundation

extension FileWrapper {
    /// What `fileAttributes` gives.
    var currentAttributes: [String: Any] {
        let (set, contentsKind, mark) = TreeLock.with {
            (state.attributes, state.contents.kind, state.record?.mark)
        }
        if let set { return set }
        switch mark {
        case .stamped(let stamp): return WrapperAttributes.dictionary(of: stamp)
        case .listed:
            // A member that changed since tells nothing about itself.
            if let stamp = try? touch().stamp { return WrapperAttributes.dictionary(of: stamp) }
        case nil: break
        }
        return WrapperAttributes.defaults(for: contentsKind)
    }

    func setAttributes(_ attributes: [String: Any]) {
        TreeLock.with {
            let serial = TreeLock.nextSerial()
            state.attributes = attributes
            state.attributesChange = serial
            tellParents(serial: serial)
        }
    }
}

/// Turns attributes between the dictionary that applications see and what is on disk.
enum WrapperAttributes {
    static func dictionary(of stamp: FileStamp) -> [String: Any] {
        [
            FileAttributeKey.type.rawValue: type(of: stamp.kind).rawValue,
            FileAttributeKey.size.rawValue: NSNumber(value: stamp.byteCount),
            FileAttributeKey.posixPermissions.rawValue: NSNumber(value: stamp.permissions),
            FileAttributeKey.modificationDate.rawValue: stamp.modificationDate,
        ]
    }

    /// Of what was made in memory: readable and writable by all whom the process' umask lets.
    static func defaults(for kind: FileStamp.Kind) -> [String: Any] {
        [
            FileAttributeKey.type.rawValue: type(of: kind).rawValue,
            FileAttributeKey.posixPermissions.rawValue: NSNumber(value: kind == .regular ? 0o666 : 0o777),
        ]
    }

    /// What of a dictionary is applied when the item is written.
    static func applied(from dictionary: [String: Any]) -> MemberAttributes {
        let permissions = dictionary[FileAttributeKey.posixPermissions.rawValue] as? NSNumber
        return MemberAttributes(
            permissions: permissions.map { $0.uint32Value & 0o7777 },
            modificationDate: dictionary[FileAttributeKey.modificationDate.rawValue] as? Date
        )
    }

    private static func type(of kind: FileStamp.Kind) -> FileAttributeType {
        switch kind {
        case .regular: .typeRegular
        case .directory: .typeDirectory
        case .symbolicLink: .typeSymbolicLink
        case .other: .typeUnknown
        }
    }
}
