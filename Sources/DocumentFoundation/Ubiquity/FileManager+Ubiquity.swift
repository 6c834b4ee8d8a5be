internal import FileSystem
public import Foundation
internal import SyncMessages

// A folder that `sheaf join` has made a container's is what an iCloud container is on Apple's systems.
extension FileManager {
    /// Where a container is on this device, its `Documents` folder made when it is not there.
    ///
    /// A folder that was joined with the identifier (`sheaf join FOLDER --identifier …`) is that container. Any other one
    /// lies in the folder that was joined first, as `iCloud~com~example~notes`. Needs no process that keeps folders in
    /// step. Blocks on the disk: not for the main thread.
    ///
    /// - Parameter containerIdentifier: Such as `iCloud.com.example.notes`; nil for the first one that the Info.plist
    ///   names under `NSUbiquitousContainers`, else what `SHEAF_UBIQUITY_CONTAINER` says, else the bundle's identifier
    ///   (or the program's name) after `iCloud.`.
    /// - Returns: Nil when nothing is joined on this device, or the joined folder is not there.
    /// - Source: Apple's url(forUbiquityContainerIdentifier:).
    /// - Differs from Darwin: needs no entitlement.
    public func url(forUbiquityContainerIdentifier containerIdentifier: String?) -> URL? {
        UbiquityAccount.shared.container(containerIdentifier)
    }

    /// Tells this user's containers on this device from another's: compare with `isEqual(_:)`. Nil when nothing is joined.
    ///
    /// `NSUbiquityIdentityDidChange` is posted when it becomes another. It is not kept from one device to another.
    public var ubiquityIdentityToken: (any NSCoding & NSCopying & NSObjectProtocol)? {
        UbiquityAccount.shared.identity.map { NSData(data: $0) }
    }

    /// Whether an item is in a container, be its contents here or not. Says nothing about what the hub has.
    ///
    /// - Returns: False also for what is not there, for the container's own folder, and for what is excluded from sync.
    public func isUbiquitousItem(at url: URL) -> Bool { UbiquitousItem(url) != nil }

    /// Moves an item into a container, or out of one, in a coordinated way: its presenters hear of the move.
    ///
    /// Blocks until access is given and the item is moved: not for the main thread. Contents that are not here are
    /// fetched before an item leaves its container.
    ///
    /// - Parameters:
    ///   - flag: True for into a container.
    ///   - url: The item.
    ///   - destinationURL: Where it is to be; the folder has to be there, and the name free.
    /// - Throws: `CocoaError`: `fileNoSuchFile` when nothing is at `url`; `fileWriteFileExists`;
    ///   `fileWriteInvalidFileName` when `destinationURL` is not where `flag` says, or `url` is there already; what keeps
    ///   contents from being fetched; what a presenter answers.
    /// - Source: Apple's setUbiquitous(_:itemAt:destinationURL:).
    public func setUbiquitous(_ flag: Bool, itemAt url: URL, destinationURL: URL) throws {
        let account = UbiquityAccount.shared
        let (isIn, willBeIn) = (account.place(of: url) != nil, account.place(of: destinationURL) != nil)
        guard isIn != flag, willBeIn == flag else {
            let (wrong, what) = willBeIn == flag ? (url, flag) : (destinationURL, !flag)
            let why = "“\(wrong.path)” is \(what ? "in" : "in no") folder that is kept in step."
            throw CocoaError(
                .fileWriteInvalidFileName,
                userInfo: [NSURLErrorKey: wrong, NSLocalizedFailureReasonErrorKey: why]
            )
        }
        try UbiquitousMove(from: url, to: destinationURL).perform()
    }
}

/// A coordinated move.
private struct UbiquitousMove {
    let source: URL
    let target: URL

    init(from source: URL, to target: URL) { (self.source, self.target) = (source, target) }

    func perform() throws {
        let coordinator = NSFileCoordinator(filePresenter: nil)
        // Contents that are not here are fetched by whoever reads them.
        try Self.coordinated { failure, run in
            coordinator.coordinate(readingItemAt: source, options: [.withoutChanges], error: failure) { _ in
                run {}
            }
        }
        try Self.coordinated { failure, run in
            coordinator.coordinate(
                writingItemAt: source,
                options: .forMoving,
                writingItemAt: target,
                options: .forReplacing,
                error: failure
            ) { source, target in run { try move(source, target, by: coordinator) } }
        }
    }

    private func move(_ source: URL, _ target: URL, by coordinator: NSFileCoordinator) throws {
        guard let from = FilePath(source), let to = FilePath(target) else {
            throw CocoaError(.fileWriteUnsupportedScheme, userInfo: [NSURLErrorKey: source])
        }
        do { try move(from, toFree: to) } catch let error as SystemError {
            throw CocoaError(error, while: .writing, url: error.errno == EEXIST ? target : source)
        }
        coordinator.item(at: source, didMoveTo: target)
    }

    /// To another volume the copy is complete, and lasts, before the original goes.
    private func move(_ from: FilePath, toFree to: FilePath) throws {
        do { try ItemMoves.move(from, toFree: to) } catch  where error.isAcrossVolumes {
            try ItemCopy.copyWhole(from, toFree: to)
            try FileManager.default.removeItem(at: from.url(isDirectory: false))
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

    /// Nil for what is in no container, is not there, or is excluded from sync.
    init?(_ url: URL, in account: UbiquityAccount = .shared) {
        guard let (folder, path) = account.place(of: url), !path.name.hasPrefix(".sheaf-") else { return nil }
        (self.folder, self.path) = (folder, path)
        // What cannot be looked at is not there.
        guard let stamp = try? FileStamp.ifPresent(at: path), stamp.kind != .other else {
            guard let placeholder = Placeholder(standingFor: path) else { return nil }
            self.placeholder = placeholder
            return
        }
        placeholder = nil
        if SyncExclusion.isExcluded(path, below: FilePath(folder.folder)) { return nil }
    }
}
