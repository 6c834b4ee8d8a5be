internal import FileSystem
internal import Foundation

/// What a wrapper was at one moment, with its data but without its future.
struct CapturedWrapper {
    let wrapper: FileWrapper
    let record: DiskRecord?
    /// Attributes that were set and are not on disk.
    let attributes: MemberAttributes?
    let contents: CapturedContents

    var isDirectory: Bool {
        if case .directory = contents { return true }
        return false
    }
}

enum CapturedContents {
    /// Bytes; nil if they were never read.
    case file(Data?)
    /// Text; nil if it was never read.
    case symbolicLink(String?)
    /// Members; nil if they were never listed.
    case directory(CapturedDirectory?)
}

struct CapturedDirectory {
    let folder: DiskDirectory?
    let hasClashingNames: Bool
    /// Whether it has members that could not be listed.
    let isBlind: Bool
    /// What was on disk under the keys that changed since.
    let saved: [String: WrapperDirectory.Saved]
    /// All members, or those under the keys that changed.
    let members: [String: CapturedWrapper]
}

extension FileWrapper {
    /// Copies what a save needs.
    ///
    /// Call under `TreeLock`.
    ///
    /// - Parameter isWhole: Whether all members are wanted. Without it only those under keys that changed are
    ///   captured, and the cost is that of the changes.
    func captured(isWhole: Bool) -> CapturedWrapper {
        CapturedWrapper(
            wrapper: self,
            record: state.record,
            attributes: state.attributesChange == nil
                ? nil : state.attributes.map(WrapperAttributes.applied(from:)),
            contents: capturedContents(isWhole: isWhole)
        )
    }

    private func capturedContents(isWhole: Bool) -> CapturedContents {
        switch state.contents {
        case .file(let data): return .file(data)
        case .symbolicLink(let text): return .symbolicLink(text)
        case .directory(nil): return .directory(nil)
        case .directory(let directory?):
            let members =
                isWhole
                ? directory.children.mapValues { $0.captured(isWhole: true) }
                : capturedChanges(in: directory)
            return .directory(
                CapturedDirectory(
                    folder: directory.folder,
                    hasClashingNames: directory.hasClashingNames,
                    isBlind: directory.isBlind,
                    saved: directory.differences.mapValues(\.saved),
                    members: members
                )
            )
        }
    }

    private func capturedChanges(in directory: WrapperDirectory) -> [String: CapturedWrapper] {
        var members: [String: CapturedWrapper] = [:]
        for key in directory.differences.keys {
            guard let index = directory.children.index(forKey: key) else { continue }
            let (name, child) = directory.children[index]
            let isInPlace =
                directory.folder.map { child.state.record?.isMember(name, of: $0) ?? false } ?? false
            members[name] = child.captured(isWhole: !isInPlace || child.state.attributesChange != nil)
        }
        return members
    }
}

/// What is to be saved: a tree of wrappers as it was at one moment, whatever is done to it afterwards.
///
/// Made where the application changes the tree (`FileWrapper.captureForSave(comparedTo:)`), used where files
/// are written.
package struct WrapperCapture {
    let top: CapturedWrapper
    /// Whether all members were captured, not only those that changed.
    let isWhole: Bool
    /// The tree that was last read or written, if it is another.
    let known: FileWrapper?
    /// All changes up to this serial are in the capture, none after it.
    let serial: UInt64

    /// Whether the tree was read from, or written to, this place.
    func isOf(_ path: FilePath) -> Bool {
        TreeLock.with { top.record.map { $0.folder == nil && $0.origin.itemPath == path } ?? false }
    }
}

// Sendable because the wrappers in it are only used through `TreeLock`, and the rest are values and records
// that never change or are used through it as well.
extension WrapperCapture: @unchecked Sendable {}

extension FileWrapper {
    /// Captures the tree for a save, without touching a file.
    ///
    /// - Parameter known: The tree that the document was last opened from or saved as. Where it is another
    ///   than this one, the members of both are compared when the save is planned, and those that are equal
    ///   are not written again.
    /// - Cost: that of the changes since the tree was read or written; of all wrappers for another tree than the known
    ///   one.
    package func captureForSave(comparedTo known: FileWrapper? = nil) -> WrapperCapture {
        TreeLock.with {
            // Of a tree that was read elsewhere its changes since say nothing about the document.
            let isKnown = known == nil || known === self
            let isRead = state.record != nil && state.attributesChange == nil && listed?.folder != nil
            let isInPlace = isKnown && isRead
            return WrapperCapture(
                top: captured(isWhole: !isInPlace),
                isWhole: !isInPlace,
                known: known === self ? nil : known,
                serial: TreeLock.nextSerial()
            )
        }
    }
}
