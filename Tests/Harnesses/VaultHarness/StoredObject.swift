package import Vault

/// An object's bytes as they are stored.
package struct StoredObject: Hashable, Sendable {
    /// Whether they are pressed together by zstd.
    package let isPressed: Bool
    package let plainByteCount: Int
    package let bytes: [UInt8]

    package init(isPressed: Bool, plainByteCount: Int, bytes: [UInt8]) {
        (self.isPressed, self.plainByteCount, self.bytes) = (isPressed, plainByteCount, bytes)
    }

    /// - Parameter room: Where its bytes are put before; nil for where they are.
    package func show<Value>(
        in room: UnsafeMutableRawBufferPointer? = nil,
        _ body: (ShownObject) throws -> Value
    ) rethrows -> Value {
        try bytes.withUnsafeBytes { bytes in
            room?.copyMemory(from: bytes)
            let shown = room.map { UnsafeRawBufferPointer($0) } ?? bytes
            return try body(
                ShownObject(isPressed: isPressed, plainByteCount: plainByteCount, bytes: shown)
            )
        }
    }
}
