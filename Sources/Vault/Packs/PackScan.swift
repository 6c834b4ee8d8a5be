internal import FileSystem

/// A record found in a pack.
struct ScannedRecord {
    var header: PackFormat.RecordHeader
    var offset: Int
    /// Its bytes, as they were before they were pressed; kept for versions and notes alone.
    var plain: [UInt8] = []
}

/// What reading a pack from one end to the other found.
struct PackScan {
    /// Every record that is whole.
    var records: [ScannedRecord] = []
    /// Where no whole record is.
    var gaps: [Range<Int>] = []
    /// Where the last whole record ends.
    var validEnd = 0
    var byteCount = 0
    var isHeaderWhole = false
    /// Whether the disk could not read some of it: nobody can say whether a write was stopped there.
    var hasBadSectors = false

    /// Whether all that is wrong is at the end, as a write that a power cut stopped leaves it.
    var isTornAtMost: Bool { gaps.allSatisfy { $0.lowerBound >= validEnd } }
}

/// Reads packs and looks at every byte of them.
struct PackScanner {
    let hasher: VaultHasher
    let decompressor: Decompressor

    /// Looks at a pack.
    ///
    /// - Parameters:
    ///   - start: Where a record is known to begin, or 0 for all of it.
    ///   - end: Where to stop; nil for the end of the file.
    func scan(_ file: StorageFile, _ id: PackID, from start: Int = 0, to end: Int? = nil) throws -> PackScan {
        var scan = PackScan()
        scan.byteCount = try end ?? file.byteCount()
        let expected = try hasher.packHeader(id)
        scan.isHeaderWhole = try file.read(at: 0, byteCount: PackFormat.headerByteCount) == expected
        var offset = max(start, PackFormat.headerByteCount)
        scan.validEnd = min(offset, scan.byteCount)
        if start == 0, !scan.isHeaderWhole {
            scan.gaps.append(0..<min(PackFormat.headerByteCount, scan.byteCount))
        }
        var window = PackWindow(file: file, byteCount: scan.byteCount)
        while offset < scan.byteCount {
            if let record = try record(&window, id, offset) {
                scan.records.append(record)
                offset += record.header.recordByteCount
                scan.validEnd = offset
            } else {
                let next = try nextRecord(&window, id, after: offset)
                scan.gaps.append(offset..<next)
                offset = next
            }
        }
        scan.hasBadSectors = window.hasBadSectors
        return scan
    }

    /// The whole record at a place; nil when none is there.
    private func record(_ window: inout PackWindow, _ id: PackID, _ offset: Int) throws -> ScannedRecord? {
        let head = try window.bytes(at: offset, byteCount: PackFormat.recordHeaderByteCount)
        guard let claimed = head.withUnsafeBytes({ PackFormat.RecordHeader(unchecked: $0) }) else {
            return nil
        }
        let bytes = try window.bytes(at: offset, byteCount: claimed.recordByteCount)
        guard bytes.count == claimed.recordByteCount else { return nil }
        guard let (header, plain) = try open(bytes, id, offset) else { return nil }
        let keepsBytes = header.kind == .version || header.kind == .note
        return ScannedRecord(header: header, offset: offset, plain: keepsBytes ? plain : [])
    }

    /// The header and the plain bytes of a record, if it is whole.
    func open(
        _ record: ArraySlice<UInt8>,
        _ id: PackID,
        _ offset: Int
    ) throws -> (header: PackFormat.RecordHeader, plain: [UInt8])? {
        try record.withUnsafeBytes { bytes in
            guard let header = try hasher.readRecordHeader(bytes, pack: id, offset: offset),
                bytes.count >= header.recordByteCount
            else { return nil }
            let stored = UnsafeRawBufferPointer(
                rebasing: bytes[PackFormat.recordHeaderByteCount..<header.recordByteCount]
            )
            guard let plain = plainBytes(of: header, stored) else { return nil }
            let name = try plain.withUnsafeBytes { try hasher.name(header.kind, $0) }
            return name == header.name ? (header, plain) : nil
        }
    }

    /// As `open`, without a copy: shows the plain bytes where they are, or in the room that is given.
    ///
    /// - Parameter room: At least as many bytes as the object has.
    func show<Value>(
        _ record: UnsafeRawBufferPointer,
        _ id: PackID,
        _ offset: Int,
        _ room: UnsafeMutableRawBufferPointer,
        _ body: (PackFormat.RecordHeader, UnsafeRawBufferPointer) throws -> Value?
    ) throws -> Value? {
        guard let header = try hasher.readRecordHeader(record, pack: id, offset: offset),
            record.count >= header.recordByteCount, header.plainByteCount <= room.count
        else { return nil }
        var plain = UnsafeRawBufferPointer(
            rebasing: record[PackFormat.recordHeaderByteCount..<header.recordByteCount]
        )
        if header.encoding == .zstd {
            let target = UnsafeMutableRawBufferPointer(rebasing: room[..<header.plainByteCount])
            guard decompressor.decompress(plain, into: target) else { return nil }
            plain = UnsafeRawBufferPointer(target)
        }
        guard try hasher.name(header.kind, plain) == header.name else { return nil }
        return try body(header, plain)
    }

    private func plainBytes(
        of header: PackFormat.RecordHeader,
        _ stored: UnsafeRawBufferPointer
    ) -> [UInt8]? {
        guard header.encoding == .zstd else { return [UInt8](stored) }
        var isWhole = false
        let plain = [UInt8](unsafeUninitializedCapacity: header.plainByteCount) { buffer, count in
            isWhole = decompressor.decompress(stored, into: UnsafeMutableRawBufferPointer(buffer))
            count = isWhole ? header.plainByteCount : 0
        }
        return isWhole ? plain : nil
    }

    /// Where the next whole record begins; the end when there is none.
    private func nextRecord(_ window: inout PackWindow, _ id: PackID, after offset: Int) throws -> Int {
        var offset = offset + 1
        while offset + PackFormat.recordHeaderByteCount <= window.byteCount {
            let bytes = try window.bytes(at: offset, byteCount: 1 << 16)
            guard let index = bytes.firstRange(of: PackFormat.recordMagic)?.lowerBound else {
                offset += max(1, bytes.count - PackFormat.recordMagic.count + 1)
                continue
            }
            offset += index - bytes.startIndex
            if try record(&window, id, offset) != nil { return offset }
            offset += 1
        }
        return window.byteCount
    }
}

/// A stretch of a pack in memory, so that small records cost no call each.
private struct PackWindow {
    let file: StorageFile
    let byteCount: Int
    private(set) var hasBadSectors = false
    private var start = 0
    private var buffer: [UInt8] = []

    private static let readByteCount = 4 << 20

    init(file: StorageFile, byteCount: Int) {
        self.file = file
        self.byteCount = byteCount
    }

    /// So many bytes from a place on; fewer where the pack ends before.
    mutating func bytes(at offset: Int, byteCount wanted: Int) throws -> ArraySlice<UInt8> {
        let end = min(offset + wanted, byteCount)
        guard offset < end else { return [] }
        if offset < start || end > start + buffer.count {
            start = offset
            let count = min(max(wanted, Self.readByteCount), byteCount - offset)
            let read = try file.readAroundBad(at: offset, byteCount: count)
            buffer = read.bytes
            hasBadSectors = hasBadSectors || read.hasBad
        }
        return buffer[(offset - start)..<min(end - start, buffer.count)]
    }
}

extension ArraySlice<UInt8> {
    /// Where some bytes stand first.
    fileprivate func firstRange(of wanted: [UInt8]) -> Range<Int>? {
        withUnsafeBytes { bytes in
            var index = 0
            while index + wanted.count <= bytes.count {
                if bytes[index] == wanted[0], bytes[index..<index + wanted.count].elementsEqual(wanted) {
                    return startIndex + index..<startIndex + index + wanted.count
                }
                index += 1
            }
            return nil
        }
    }
}
