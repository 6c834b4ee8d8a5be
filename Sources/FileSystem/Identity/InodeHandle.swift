package import Foundation

/// What name_to_handle_at(2) gives for an inode, and open_by_handle_at(2) finds it by wherever it is.
package struct InodeHandle: Hashable, Sendable {
    /// The volume's word for the form of the bytes.
    package var type: Int32
    package var bytes: Data

    /// The most bytes that the kernel gives.
    package static let byteCountMax = 128

    package init(type: Int32, bytes: Data) {
        self.type = type
        self.bytes = bytes
    }
}
