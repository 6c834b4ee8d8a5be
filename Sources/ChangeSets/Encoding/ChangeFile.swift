/// A device's own file in a document package: what only this device writes, so that no two devices ever change one
/// member, and packages of change files merge by themselves.
///
/// A file begins with a state or with the device's changes, and grows by frames at its end. A frame that a crash has
/// cut off is left out. Docs/formats/change-sets.md has the bytes.
public struct ChangeFile: Hashable, Sendable {
    /// What a frame holds.
    public enum Frame: Hashable, Sendable {
        /// For `Replica.apply(_:)`.
        case changes([UInt8])
        /// For ``Replica/merge(state:)``.
        case state([UInt8])
    }

    /// Whose file it is.
    public let device: DeviceID
    /// The frames, from the oldest.
    public let frames: [Frame]
    /// How many bytes of the file are whole frames. What lies behind was cut off: the device that writes the file
    /// cuts it there before it adds to it.
    public let intactByteCount: Int

    private static let magic = Array("sheafchg".utf8)
    private static let version: UInt8 = 1
    private static let headerByteCount = 8 + 1 + 16

    /// What a file begins with.
    public static func header(of device: DeviceID) -> [UInt8] {
        var writer = ByteWriter()
        writer.raw(magic)
        writer.byte(version)
        writer.device(device)
        return writer.bytes
    }

    /// A frame, to be put at a file's end.
    public static func encode(_ frame: Frame) -> [UInt8] {
        var writer = ByteWriter()
        let payload: [UInt8]
        switch frame {
        case .changes(let bytes): payload = [1] + bytes
        case .state(let bytes): payload = [2] + bytes
        }
        writer.fixed(UInt64(payload.count) << 32 | UInt64(Checksum.crc32(payload[...])))
        writer.raw(payload)
        return writer.bytes
    }

    /// Reads a file.
    ///
    /// - Throws: `malformed` when it does not begin as one, `versionUnknown`. A frame whose checksum is wrong ends
    ///   the file.
    public init(_ contents: some Collection<UInt8>) throws(ChangeSetError) {
        let bytes = Array(contents)
        guard bytes.count >= Self.headerByteCount, bytes.starts(with: Self.magic) else {
            throw .malformed("a file that does not begin as one of change sets")
        }
        guard bytes[8] == Self.version else { throw .versionUnknown(bytes[8]) }
        var reader = ByteReader(Array(bytes[9..<Self.headerByteCount]))
        device = try reader.device()
        var (frames, position) = ([Frame](), Self.headerByteCount)
        while let (frame, end) = Self.frame(in: bytes, at: position) {
            frames.append(frame)
            position = end
        }
        self.frames = frames
        intactByteCount = position
    }

    private static func frame(in bytes: [UInt8], at start: Int) -> (Frame, end: Int)? {
        guard bytes.count - start > 8 else { return nil }
        let head = bytes[start..<start + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let count = Int(head >> 32)
        guard count > 0, count <= bytes.count - start - 8 else { return nil }
        let payload = bytes[start + 8..<start + 8 + count]
        guard Checksum.crc32(payload) == UInt32(truncatingIfNeeded: head) else { return nil }
        switch payload.first {
        case 1: return (.changes(Array(payload.dropFirst())), start + 8 + count)
        case 2: return (.state(Array(payload.dropFirst())), start + 8 + count)
        default: return nil
        }
    }
}

extension Replica {
    /// This device's own file, written anew: its changes, or the state when its log no longer begins with the first.
    public func encodedFile() -> [UInt8] {
        let frame: ChangeFile.Frame =
            if let changes = encodedChanges(since: VersionVector(), onlyOwn: true) {
                .changes(changes)
            } else {
                .state(encodedState())
            }
        return ChangeFile.header(of: device) + ChangeFile.encode(frame)
    }

    /// What is to be put at the end of this device's own file.
    ///
    /// - Parameter sequence: The last of its own changes that the file has.
    /// - Returns: A frame; nil when the file is to be written anew, by ``encodedFile()``.
    public func encodedFileAddition(after sequence: UInt64) -> [UInt8]? {
        var vector = VersionVector()
        vector[device] = sequence
        return encodedChanges(since: vector, onlyOwn: true).map { ChangeFile.encode(.changes($0)) }
    }

    /// Takes in another device's file; what is known already is passed over.
    ///
    /// - Throws: As `apply(_:)` and ``merge(state:)`` do. Frames before the one that failed are in.
    public mutating func merge(_ file: ChangeFile) throws(ChangeSetError) {
        for frame in file.frames {
            switch frame {
            case .changes(let changes): try applyAll(changes)
            case .state(let state): try merge(state: state)
            }
        }
    }
}

/// CRC-32 of IEEE 802.3, as in zip and PNG.
package enum Checksum {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { rest, _ in rest & 1 == 1 ? 0xEDB8_8320 ^ rest >> 1 : rest >> 1 }
    }

    package static func crc32(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        let table = table
        return ~bytes.withUnsafeBufferPointer { bytes in
            bytes.reduce(~UInt32(0)) { table[Int(($0 ^ UInt32($1)) & 0xFF)] ^ $0 >> 8 }
        }
    }
}
