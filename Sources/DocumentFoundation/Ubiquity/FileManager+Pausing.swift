internal import FileSystem
public import Foundation
internal import LocalSockets
internal import SyncMessages
internal import Threads
internal import Vault

/// What becomes of what was done to an item here while its sync was paused.
///
/// - Source: Apple's NSFileManagerResumeSyncBehavior.
public enum NSFileManagerResumeSyncBehavior: Int, Sendable {
    /// It goes to the hub. With what others have done meanwhile it is merged; what cannot be merged becomes a version in
    /// conflict.
    case preserveLocalChanges = 0
    /// It goes to the hub first. If others have changed the item meanwhile, that fails, and the item stays paused.
    case afterUploadWithFailOnConflict = 1
    /// What the hub has comes in its place. It stays among the item's versions.
    case dropLocalChanges = 2
}

/// What happens when the state of a paused item is to be sent, and others have changed the item meanwhile.
///
/// - Source: Apple's NSFileManagerUploadLocalVersionConflictPolicy.
public enum NSFileManagerUploadLocalVersionConflictPolicy: Int, Sendable {
    /// What is usual here: it fails, as what was merged could not be put in place while the item is paused.
    case conflictPolicyDefault = 0
    /// It fails.
    case conflictPolicyFailOnConflict = 1
}

/// What can be done about the sync of an item.
///
/// - Source: Apple's NSFileManagerSupportedSyncControls.
public struct NSFileManagerSupportedSyncControls: OptionSet, Hashable, Sendable {
    /// Apple's bits.
    public let rawValue: UInt

    /// Makes a set of Apple's bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// It can be paused and resumed.
    public static let pauseSync = NSFileManagerSupportedSyncControls(rawValue: 1 << 0)
    /// A state of it can be sent so that it fails when others have changed the item.
    public static let failUploadOnConflict = NSFileManagerSupportedSyncControls(rawValue: 1 << 1)
}

// Sync of single items that an app or a person holds up.
extension FileManager {
    /// Has nothing of an item go to other devices, and nothing of theirs come, until it is resumed.
    ///
    /// That outlives this process and `sheaf up`. What is done here and elsewhere meanwhile waits; moves and removals wait,
    /// too. For a folder it holds for all documents that are in it now.
    ///
    /// - Parameters:
    ///   - url: The item.
    ///   - completionHandler: Called on some queue; with a `CocoaError`: `fileWriteUnknown` with `EBUSY` below it when the
    ///     item is just being changed; `ubiquitousFileUbiquityServerNotAvailable` when `sheaf up` does not run;
    ///     `fileNoSuchFile`; `ubiquitousFileUnavailable` for what is in no container.
    /// - Source: Apple's pauseSyncForUbiquitousItem(at:completionHandler:).
    public func pauseSyncForUbiquitousItem(
        at url: URL,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        ItemAsking.perform({ try self.pauseSyncNow(at: url, by: ProcessInfo.processInfo.processName) }) {
            completionHandler($0.failure)
        }
    }

    /// Has nothing of an item go to other devices, and nothing of theirs come, until it is resumed; the same with `await`.
    ///
    /// - Source: Apple's pauseSyncForUbiquitousItem(at:).
    public func pauseSyncForUbiquitousItem(at url: URL) async throws {
        try await ItemAsking.result {
            try self.pauseSyncNow(at: url, by: ProcessInfo.processInfo.processName)
        }
    }

    /// Ends what `pauseSyncForUbiquitousItem` began.
    ///
    /// - Parameters:
    ///   - url: The item; for a folder all that is paused in it.
    ///   - behavior: What becomes of what was done here meanwhile.
    ///   - completionHandler: Called on some queue; with a `CocoaError` when it stays paused: `fileWriteUnknown` with
    ///     `localVersionConflictingWithServer` (of `NSFileProviderErrorDomain`) below it when others have changed it, and as
    ///     for pausing.
    /// - Source: Apple's resumeSyncForUbiquitousItem(at:with:completionHandler:).
    public func resumeSyncForUbiquitousItem(
        at url: URL,
        with behavior: NSFileManagerResumeSyncBehavior,
        completionHandler: @escaping @Sendable ((any Error)?) -> Void
    ) {
        ItemAsking.perform({ try self.resumeSyncNow(at: url, with: behavior) }) {
            completionHandler($0.failure)
        }
    }

    /// Ends what `pauseSyncForUbiquitousItem` began; the same with `await`.
    ///
    /// - Source: Apple's resumeSyncForUbiquitousItem(at:with:).
    public func resumeSyncForUbiquitousItem(
        at url: URL,
        with behavior: NSFileManagerResumeSyncBehavior
    ) async throws {
        try await ItemAsking.result { try self.resumeSyncNow(at: url, with: behavior) }
    }

    /// Gets what the hub has of an item: it is asked for that now.
    ///
    /// Of a paused one that is a version beside it, to be put in its place with `NSFileVersion.replaceItem(at:options:)`;
    /// else it comes in the item's place. Contents that are not here come first.
    ///
    /// - Parameters:
    ///   - url: The item.
    ///   - completionHandler: Called on some queue, with the version, or a `CocoaError`: `fileNoSuchFile` when the hub has
    ///     none, as the item was removed elsewhere or has not been sent yet; when what the hub has does not come before
    ///     somebody does something about it, what keeps it.
    /// - Source: Apple's fetchLatestRemoteVersionOfItem(at:completionHandler:).
    public func fetchLatestRemoteVersionOfItem(
        at url: URL,
        completionHandler: @escaping @Sendable (NSFileVersion?, (any Error)?) -> Void
    ) {
        ItemAsking.perform({ try ItemAsking.version(url) { .fetchLatest(path: $0) } }) {
            completionHandler(try? $0.get(), $0.failure)
        }
    }

    /// Gets what the hub has of an item; the same with `await`.
    ///
    /// - Source: Apple's fetchLatestRemoteVersionOfItem(at:).
    public func fetchLatestRemoteVersionOfItem(at url: URL) async throws -> NSFileVersion {
        try await ItemAsking.result { try ItemAsking.version(url) { .fetchLatest(path: $0) } }
    }

    /// Sends the state that a paused item is in. It stays paused.
    ///
    /// - Parameters:
    ///   - url: The item.
    ///   - conflictResolutionPolicy: What happens when others have changed it meanwhile.
    ///   - completionHandler: Called on some queue when the hub has it, with the current version; with a `CocoaError` when
    ///     nothing was sent: `fileWriteUnknown` with `localVersionConflictingWithServer` (of `NSFileProviderErrorDomain`) below
    ///     it when others have changed it; also when it cannot be read or kept, as its disk is full, say.
    /// - Source: Apple's uploadLocalVersionOfUbiquitousItem(at:withConflictResolutionPolicy:completionHandler:).
    /// - Differs from Darwin: both policies fail on a conflict.
    public func uploadLocalVersionOfUbiquitousItem(
        at url: URL,
        withConflictResolutionPolicy conflictResolutionPolicy: NSFileManagerUploadLocalVersionConflictPolicy,
        completionHandler: @escaping @Sendable (NSFileVersion?, (any Error)?) -> Void
    ) {
        ItemAsking.perform({ try ItemAsking.version(url) { .offer(path: $0) } }) {
            completionHandler(try? $0.get(), $0.failure)
        }
    }

    /// Sends the state that a paused item is in; the same with `await`.
    ///
    /// - Source: Apple's uploadLocalVersionOfUbiquitousItem(at:withConflictResolutionPolicy:).
    public func uploadLocalVersionOfUbiquitousItem(
        at url: URL,
        withConflictResolutionPolicy conflictResolutionPolicy: NSFileManagerUploadLocalVersionConflictPolicy
    ) async throws -> NSFileVersion {
        try await ItemAsking.result { try ItemAsking.version(url) { .offer(path: $0) } }
    }

    /// Pauses an item, and blocks until that is done.
    ///
    /// - Parameter who: Who wants it, for people.
    package func pauseSyncNow(at url: URL, by who: String) throws {
        _ = try ItemAsking.ask(about: url) { .pause(path: $0, by: who) }
    }

    /// Resumes an item, and blocks until that is done.
    package func resumeSyncNow(
        at url: URL,
        with behavior: NSFileManagerResumeSyncBehavior = .preserveLocalChanges
    ) throws {
        let resumption: SyncResumption =
            switch behavior {
            case .preserveLocalChanges: .preserveLocal
            case .afterUploadWithFailOnConflict: .failOnConflict
            case .dropLocalChanges: .dropLocal
            }
        _ = try ItemAsking.ask(about: url) { .resume(path: $0, resumption) }
    }
}

/// Questions about one item whose answers may take their time.
private enum ItemAsking {
    /// - Returns: The version that is the answer; nil for none.
    static func ask(about url: URL, _ question: (String) -> SyncQuestion) throws -> VersionID? {
        let account = UbiquityAccount.of(url)
        do {
            guard let (_, path) = account.place(of: url) else {
                throw SyncRefusal(.notInContainer, "“\(url.path)” is in no folder that is kept in step.")
            }
            let conversation = try SyncConversation(question(path.string), in: try account.runtime())
            while true {
                switch try conversation.next(milliseconds: -1) {
                case .done: return nil
                case .version(let bytes): return VersionID(bytes: bytes)
                case .refused(let refusal): throw refusal
                default: continue
                }
            }
        } catch {
            throw CocoaError.asking(about: url, error)
        }
    }

    /// The version that is the answer, else the item as it is.
    static func version(_ url: URL, _ question: (String) -> SyncQuestion) throws -> NSFileVersion {
        let store = VersionStore.of(url)
        // Its placeholder may be gone when it is answered.
        let url = UbiquityAccount.of(url).itemURL(of: url)
        let answer = try ask(about: url, question)
        let found: NSFileVersion?
        if let answer {
            found = try store.version(answer, at: url).map { NSFileVersion(.kept($0), of: url, in: store) }
        } else {
            found = NSFileVersion.currentVersionOfItem(at: url)
        }
        guard let found else { throw CocoaError(.fileNoSuchFile, userInfo: [NSURLErrorKey: url]) }
        return found
    }

    /// Does what blocks on a thread of its own, with the account and the versions of who asks.
    static func perform<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value,
        then done: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        let (account, versions) = (UbiquityAccount.shared, VersionStore.shared)
        OwnThread.startInTime("sheaf question") {
            UbiquityAccount.$shared.withValue(account) {
                VersionStore.$shared.withValue(versions) { done(Result(catching: body)) }
            }
        }
    }

    static func result<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { goOn in perform(body) { goOn.resume(with: $0) } }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
