package import FileSystem
package import Vault

extension Vault {
    /// Objects of this vault as they come to another.
    package func sent(_ objects: [VaultObject]) throws -> [VaultObject: StoredObject] {
        var stored: [VaultObject: StoredObject] = [:]
        try withStored(objects) { object, shown in
            stored[object] = StoredObject(
                isPressed: shown.isPressed,
                plainByteCount: shown.plainByteCount,
                bytes: [UInt8](shown.bytes)
            )
        }
        return stored
    }

    /// All that some contents consist of, as it comes to another vault.
    package func sent(_ contents: DocumentContents) throws -> [VaultObject: StoredObject] {
        try sent(try objects(of: [contents]))
    }
}

extension Vault {
    /// Stores contents of which objects come as arrays; half of them are put where they are best put.
    package func receive(
        _ documents: [(contents: DocumentContents, item: FileMark)],
        origin: (FileMark) -> VersionOrigin,
        fetch: (ArraySlice<VaultObject>) throws -> [(object: VaultObject, stored: StoredObject)]
    ) throws {
        try receive(documents, origin: origin) { wanted, room, show in
            for (object, stored) in try fetch(wanted) {
                let isBest = object.name.bytes[0] % 2 == 0
                try stored.show(in: isBest ? room(object, stored.bytes.count) : nil) { try show(object, $0) }
            }
        }
    }
}
