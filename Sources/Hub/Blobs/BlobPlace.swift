internal import HubProtocol

/// Where a blob's bytes lie.
enum BlobPlace: Hashable, Sendable {
    /// In a segment's file.
    case segment(Int, offset: Int)
    /// In a file of its own, named by a number that nothing else has.
    case file(Int)

    /// The numbers of segments begin with 1 in the index; 0 stands for a file.
    var numbers: (segment: Int, offset: Int) {
        switch self {
        case .segment(let number, let offset): (number, offset)
        case .file(let number): (0, number)
        }
    }

    init(segment: Int, offset: Int) {
        self = segment == 0 ? .file(offset) : .segment(segment, offset: offset)
    }
}

/// A blob that is in the index.
struct IndexedBlob: Hashable, Sendable {
    var place: BlobPlace
    var byteCount: Int
}

/// A container's name with a blob's, as the index has it.
func blobKey(_ container: ContainerName, _ name: BlobName) -> [UInt8] { container.bytes + name.bytes }
