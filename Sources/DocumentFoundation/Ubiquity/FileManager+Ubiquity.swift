internal import FileSystem
public import Foundation
internal import StandardStreams
internal import SyncMessages

// A folder that `sheaf join` has made a container's is what an iCloud container is on Apple's systems.
extension FileManager {
    /// Where a container is on this device, its `Documents` folder made when it is not there.
    ///
    /// A folder that was joined with the identifier (`sheaf join FOLDER --identifier …`) is that container. Any other one
    /// lies, as `iCloud~com~example~notes`, in the first folder that was joined without an identifier, while there is none in
    /// the first of all; and stays where it is, whatever is joined later. Needs no process that keeps folders in step. Blocks
    /// on the disk: not for the main thread.
    ///
    /// - Parameter containerIdentifier: Such as `iCloud.com.example.notes`; nil for the default one: the first that the
    ///   Info.plist names under `com.apple.developer.ubiquity-container-identifiers`, else, of those that it names under
    ///   `NSUbiquitousContainers`, which have no order, `iCloud.` with the bundle's identifier behind it if it is one of them,
    ///   else the first by name. Where it names none, what `SHEAF_UBIQUITY_CONTAINER` says, else `iCloud.` and the bundle's
    ///   identifier (or the program's name).
    /// - Returns: Nil when nothing is joined on this device, or the joined folder is not there.
    /// - Source: Apple's url(forUbiquityContainerIdentifier:).
    /// - Differs from Darwin: needs no entitlement. Where one gives the order, it stands in the Info.plist.
    public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? {
        MakeBelieveDevices.note(askedOnNone: "FileManager.url(forUbiquityContainerIdentifier:)")
        return UbiquityAccount.shared.container(containerIdentifier)
    }

    /// Tells this user's containers on this device from another's: compare with `isEqual(_:)`. Nil when nothing is joined.
    ///
    /// `NSUbiquityIdentityDidChange` is posted when it becomes another. It is not kept from one device to another.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
        MakeBelieveDevices.note(askedOnNone: "FileManager.ubiquityIdentityToken")
        return UbiquityAccount.shared.identity.map { NSData(data: $0) }
    }

    /// Whether an item is in a container, be its contents here or not. Says nothing about what the hub has.
    ///
    /// - Returns: False also for what is not there, for the container's own folder, and for what is excluded from sync.
    public func isUbiquitousItem(at url: URL) -> Bool { UbiquitousItem(url)?.isExcluded == false }

    /// Moves an item into a container, or out of one, in a coordinated way: its presenters hear of the move.
    ///
    /// Blocks until access is given and the item is moved: not for the main thread. Contents that are not here, of a folder those
    /// of all in it, are fetched before an item leaves its container. To another volume a copy goes, and the original only when
    /// that is complete; where it cannot go, or others write to it meanwhile, there is no copy.
    ///
    /// - Parameters:
    ///   - flag: True for into a container.
    ///   - url: The item.
    ///   - destinationURL: Where it is to be; the folder has to be there, and the name free: also of an item whose contents are
    ///     not here.
    /// - Throws: `CocoaError`: `fileNoSuchFile` when nothing is at `url`; `fileWriteFileExists`;
    ///   `fileWriteInvalidFileName` when `destinationURL` is not where `flag` says, or `url` is there already; what keeps
    ///   contents from being fetched; what a presenter answers. With `EBUSY` underneath: others are writing; try again later.
    /// - Source: Apple's setUbiquitous(_:itemAt:destinationURL:).
    public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
        let account = UbiquityAccount.of(url)
        let isIn = account.place(of: url) != nil
        let willBeIn = UbiquityAccount.of(destinationURL).place(of: destinationURL) != nil
        guard isIn != flag, willBeIn == flag else {
            let (wrong, what) = willBeIn == flag ? (url, flag) : (destinationURL, !flag)
            let why = "“\(wrong.path)” is in \(what ? "a" : "no") folder that is kept in step."
            throw CocoaError(
                .fileWriteInvalidFileName,
                userInfo: [NSURLErrorKey: wrong, NSLocalizedFailureReasonErrorKey: why]
            )
        }
        try UbiquitousMove(from: account.itemURL(of: url), to: destinationURL).perform()
    }
}

/// A coordinated move.
private struct UbiquitousMove {
    let source: URL
    let target: URL

    init(from source: URL, to target: URL) { (self.source, self.target) = (source, target) }

    func perform() throws {
        let coordinator = NSFileCoordinator(filePresenter: nil)
        try Self.coordinated { failure, run in
            coordinator.coordinate(
                writingItemAt: source,
                options: .forMoving,
                writingItemAt: target,
                options: [.forReplacing, .leavingPlaceholder],
                error: failure
            ) { source, target in run { try move(source, target, by: coordinator) } }
        }
    }

    private func move(_ source: URL, _ target: URL, by coordinator: NSFileCoordinator) throws {
        guard let from = FilePath(source), let to = FilePath(target) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: source])
        }
        let original: FilePath?
        do { original = try move(from, toFree: to) } catch let error as SystemError {
            throw CocoaError(error, while: .writing, url: error.errno == EEXIST ? target : source)
        }
        coordinator.item(at: source, didMoveTo: target)
        if let original { remove(original) }
    }

    /// To another volume the copy is complete, and lasts, before the original goes.
    ///
    /// - Returns: Where the original is that is to be removed; nil where it has moved itself.
    private func move(_ from: FilePath, toFree to: FilePath) throws -> FilePath? {
        // A name is taken by an item that is there, and by one that a placeholder stands for.
        guard Placeholder(standingFor: to) == nil else {
            throw SystemError(call: "renameat2", errno: EEXIST, path: to)
        }
        if try moveWithinVolume(from, toFree: to) { return nil }
        let looks = try ItemLooks(of: from)
        try ItemCopy.copyWhole(from, toFree: to)
        // What others have written since the copying began may not be in the copy.
        guard looks.isAtRest(at: from) else {
            remove(to)
            throw SystemError(call: "renameat2", errno: EBUSY, path: from)
        }
        // Its folder lets it go as a whole or not at all, where removing a folder could stop halfway.
        let aside = from.parent.appending("\(SaveSite.ownPrefix)moved-\(UUID().uuidString)")
        do { try ItemMoves.move(from, toFree: aside) } catch {
            remove(to)
            throw error
        }
        return aside
    }

    /// - Returns: Whether it was one volume.
    private func moveWithinVolume(_ from: FilePath, toFree to: FilePath) throws(SystemError) -> Bool {
        do { try ItemMoves.move(from, toFree: to) } catch {
            guard error.isAcrossVolumes else { throw error }
            return false
        }
        return true
    }

    /// Removes what nobody is to find any more. The move is what it is: who can do something about what stays is told.
    private func remove(_ path: FilePath) {
        do { try FileManager.default.removeItem(at: path.url(isDirectory: false)) } catch {
            StandardError.say("“\(path)” is left of a move to another volume: \(error)")
        }
    }

    private static func coordinated(
        _ access: (NSErrorPointer, (() throws -> Void) -> Void) -> Void
    ) throws {
        var failure: NSError?
        var result: Result<Void, any Error>?
        access(&failure) { body in result = Result { try body() } }
        if let result { return try result.get() }
        throw failure ?? CocoaError(.fileWriteUnknown)
    }
}

/// An item of a container that is there, with its contents or without.
struct UbiquitousItem {
    let folder: JoinedFolder
    /// Under its own name, links resolved up to its folder.
    let path: FilePath
    /// What stands for it; nil when it is here itself.
    let placeholder: Placeholder?

    /// Whether it is excluded from sync, or in a folder that is: then nothing else about containers is said of it.
    var isExcluded: Bool { SyncExclusion.isExcluded(placeHere, below: FilePath(folder.folder)) }

    /// Whether it is excluded itself.
    var isMarkedAsExcluded: Bool { SyncExclusion.isMarked(placeHere) }

    /// Where what is here of it is.
    var placeHere: FilePath { placeholder == nil ? path : Placeholder.place(for: path) ?? path }

    /// Nil for what is in no container, or is not there.
    init?(_ url: URL, in account: UbiquityAccount? = nil) {
        guard let (folder, path) = (account ?? .of(url)).place(of: url), !SaveSite.isOwn(path.name)
        else { return nil }
        (self.folder, self.path) = (folder, path)
        // What cannot be looked at is not there.
        guard let stamp = try? FileStamp.ifPresent(at: path), stamp.kind != .other else {
            guard let placeholder = Placeholder(standingFor: path) else { return nil }
            self.placeholder = placeholder
            return
        }
        placeholder = nil
    }
}
