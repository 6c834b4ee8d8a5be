package import Foundation

/// A file, a folder or a link on a disk, whatever its names are.
package struct DiskNode: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case file, folder
        /// With what it says.
        case link(String)
    }

    package struct Status: Hashable, Sendable {
        package var permissions: UInt16
        /// Nanoseconds since 1970.
        package var modified: Int64
        package var changed: Int64
    }

    package let kind: Kind
    package var bytes = Data()
    package var attributes: [String: Data] = [:]
    /// Nil where it is not known.
    package var status: Status?
}

/// One change of a file.
package enum FileChange: Sendable {
    case write(at: Int, Data)
    case truncate(Int)
    case grow(toAtLeast: Int)
    case zero(Range<Int>)
    /// Nil for: it goes.
    case attribute(String, Data?)
    /// Permissions or times, and nothing else.
    case status

    func apply(to node: inout DiskNode) {
        switch self {
        case .write(let offset, let new):
            FileChange.grow(toAtLeast: offset + new.count).apply(to: &node)
            node.bytes.replaceSubrange(offset..<offset + new.count, with: new)
        case .truncate(let byteCount):
            node.bytes = node.bytes.prefix(byteCount)
            FileChange.grow(toAtLeast: byteCount).apply(to: &node)
        case .grow(let byteCount):
            if node.bytes.count < byteCount { node.bytes.append(Data(count: byteCount - node.bytes.count)) }
        case .zero(let range):
            let range = range.clamped(to: 0..<node.bytes.count)
            node.bytes.replaceSubrange(range, with: Data(count: range.count))
        case .attribute(let name, let value): node.attributes[name] = value
        case .status: break
        }
    }

    /// A write by sectors, each of which reaches the disk or not.
    var sectors: [(number: Int, part: FileChange)] {
        guard case .write(let offset, let bytes) = self else { return [] }
        var (parts, start): ([(number: Int, part: FileChange)], Int) = ([], offset)
        while start < offset + bytes.count {
            let number = start / Self.sectorByteCount
            let end = min((number + 1) * Self.sectorByteCount, offset + bytes.count)
            parts.append(
                (number, .write(at: start, Data(bytes.dropFirst(start - offset).prefix(end - start))))
            )
            start = end
        }
        return parts
    }

    /// What has become of it when only the file's length has reached the disk.
    var blank: FileChange {
        guard case .write(let offset, let bytes) = self else { return self }
        return .grow(toAtLeast: offset + bytes.count)
    }

    private static let sectorByteCount = 512
}
