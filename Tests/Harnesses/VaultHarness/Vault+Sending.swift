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
