internal import DeviceSync
internal import DocumentFoundation
public import Foundation

// What happens to the disk of a make-believe device.
extension WorldDevice {
    /// Has no room left on its disk: from now on nothing can be written there.
    ///
    /// A save in `run` fails, and the document's `handleError(_:userInteractionPermitted:)` gets
    /// `CocoaError.fileWriteOutOfSpace`; the former contents stay. What comes from other devices waits, and `explain` says why.
    /// Removing and renaming work as they do on a full disk, and what a document's own code writes without this library's
    /// calls, such as by `Data.write(to:)`, is refused when its save comes to make it last.
    ///
    /// - Throws: Where SQLite, in which a device remembers what it does, cannot be made to find its disk full.
    public func fillDisk() throws { try disk.fill() }

    /// Ends `fillDisk`. What waited for room goes on at once.
    public func freeDisk() {
        disk.free()
        goOn()
    }

    /// What a disk that fails cannot do any more.
    public struct DiskAccess: OptionSet, Hashable, Sendable {
        /// One bit for each.
        public let rawValue: Int

        /// What some bits stand for.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// Nothing can be read, nor a folder listed, nor an item looked at.
        public static let reading = DiskAccess(rawValue: 1)
        /// Nothing can be written, made, moved or removed.
        public static let writing = DiskAccess(rawValue: 2)
    }

    /// Has its disk fail: from now on the kernel answers with `EIO`.
    ///
    /// A save in `run` fails, and the document's `handleError(_:userInteractionPermitted:)` gets
    /// `CocoaError.fileWriteUnknown`, an opening `CocoaError.fileReadUnknown`, both with `EIO` of `NSPOSIXErrorDomain` beneath;
    /// what was there stays. Nothing is taken for deleted or empty because it cannot be read, and `explain` says why it waits.
    /// What a document's own code reads without this library's calls, such as by `Data(contentsOf:)`, can be read all the same.
    ///
    /// - Parameters:
    ///   - access: What fails.
    ///   - url: Where: an item in the device's folder with all that is in it, as with a bad sector; nil for the whole disk,
    ///     which is also where the device remembers what it does. What fails already goes on failing.
    /// - Throws: Where SQLite, in which a device remembers what it does, cannot be made to find its disk failing.
    public func breakDisk(_ access: DiskAccess = [.reading, .writing], at url: URL? = nil) throws {
        try disk.breakDown(access, at: url?.standardizedFileURL.path)
    }

    /// Ends `breakDisk`. What waited goes on at once.
    public func mendDisk() {
        disk.mend()
        goOn()
    }

    private func goOn() {
        versions.tryAgain()
        guard isStarted else { return }
        if let running { running.tryAgain() } else { beginAgain() }
    }
}
