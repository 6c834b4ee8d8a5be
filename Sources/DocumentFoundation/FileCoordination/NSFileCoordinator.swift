internal import Coordination
public import Foundation
internal import Locks

/// Gives access to files in turn: many readers or one writer to an item, and presenters asked and told.
///
/// Make one for each operation. All methods can be called on any thread.
///
/// Accesses of all processes of a user are kept apart by the user's agent, which is started when there is none.
/// A process that cannot start one, or is told not to (`SHEAF_AGENT=off`), sees only its own.
///
/// - Differs from Darwin: two paths that lead to one item through a symbolic link are two items.
open class NSFileCoordinator: NSObject, @unchecked Sendable {
    // Sendable because every stored property is constant: the presenter is only held and asked its URL, which
    // any thread may, and `state` has its own lock.

    /// How a reader will use an item.
    public struct ReadingOptions: OptionSet, Sendable {
        /// Apple's number for the options.
        public let rawValue: UInt
        /// Takes Apple's number.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Presenters are not asked to save first.
        public static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
        /// A symbolic link stands for what it leads to.
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
        /// Only metadata will be read, so that contents need not be fetched.
        ///
        /// Without it the contents of an item in a container are fetched first where only a placeholder is here.
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
        /// The accessor gets a copy that is removed afterwards, and no one waits for the accessor.
        ///
        /// - Differs from Darwin: a directory fails with `CocoaError.featureUnsupported`; it is not zipped.
        public static let forUploading = ReadingOptions(rawValue: 1 << 3)
    }

    /// How a writer will use an item: one option, or none for updating what is there.
    ///
    /// Of several, the one that excludes others most counts.
    public struct WritingOptions: OptionSet, Sendable {
        /// Apple's number for the options.
        public let rawValue: UInt
        /// Takes Apple's number.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The item goes, with all that is in it.
        public static let forDeleting = WritingOptions(rawValue: 1 << 0)
        /// The item gets another place, with all that is in it.
        public static let forMoving = WritingOptions(rawValue: 1 << 1)
        /// What presenters have not saved is wanted first.
        public static let forMerging = WritingOptions(rawValue: 1 << 2)
        /// Another item takes the item's place, with all that is in it.
        public static let forReplacing = WritingOptions(rawValue: 1 << 3)
        /// Only metadata that does not depend on the contents is written.
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 1 << 4)

        /// The item's contents go from this machine, and a placeholder takes its place.
        package static let forEvicting = WritingOptions(rawValue: 1 << 16)

        var writing: AccessClaim.Writing {
            if contains(.forEvicting) { return .evicting }
            if contains(.forReplacing) { return .replacing }
            if contains(.forDeleting) { return .deleting }
            if contains(.forMoving) { return .moving }
            return contains(.forMerging) ? .merging : .updating
        }
    }

    struct State: Sendable {
        var purpose: Purpose
        var isPurposeSettable: Bool
        var isCancelled = false
        var leavesPlaceholders = false
        var fetches: [UUID: ContentsFetch] = [:]
    }

    let registry: FileAccessRegistry
    let presenter: PresenterHandle?
    private let number: UInt64
    private let state: Locked<State>

    /// A coordinator, for an operation done by a presenter or by no one.
    ///
    /// - Parameter filePresenterOrNil: Gets no messages about the operation. What it writes while it answers
    ///   `savePresentedItemChanges` does not wait for who asked. Held as long as the coordinator.
    public convenience init(filePresenter filePresenterOrNil: (any NSFilePresenter)?) {
        self.init(filePresenter: filePresenterOrNil, registry: .shared)
    }

    /// A coordinator for an operation done by no presenter.
    public convenience override init() {
        self.init(filePresenter: nil, registry: .shared)
    }

    /// A coordinator that sees only the accesses and presenters of one registry.
    package init(filePresenter: (any NSFilePresenter)?, registry: FileAccessRegistry) {
        self.registry = registry
        self.presenter = filePresenter.map { PresenterHandle($0) }
        self.number = registry.makeCoordinatorNumber()
        let purpose =
            presenter.map { Purpose.presenter($0.id) } ?? .coordinator(FileAccessRegistry.client, number)
        self.state = Locked(State(purpose: purpose, isPurposeSettable: filePresenter == nil))
    }

    deinit {
        if state.withLock({ $0.isCancelled }) { registry.forget(coordinator: number) }
    }

    /// How long a presenter may take to answer one message, in seconds; then the access that waits for it
    /// fails with `FileCoordinationError` of code `presenterTimedOut`.
    ///
    /// For the whole process; 5 unless set. Presenters of other processes have the agent's limit, 5 seconds.
    ///
    /// The time a presenter itself waits for access counts too.
    ///
    /// - Differs from Darwin: there is no such limit there.
    public class var presenterTimeLimitSeconds: Double {
        get { FileAccessRegistry.shared.presenterTimeLimitSeconds }
        set { FileAccessRegistry.shared.presenterTimeLimitSeconds = newValue }
    }

    /// Names what the operation is part of: operations of one name never wait for one another.
    ///
    /// All coordinators made for one presenter have one name. Otherwise it can be set once, to something not
    /// empty; anything else traps.
    open var purposeIdentifier: String {
        get { state.withLock { $0.purpose }.text(in: registry) }
        set {
            precondition(!newValue.isEmpty, "the purpose identifier of a file coordinator cannot be empty")
            let wasSettable = state.withLock { state in
                guard state.isPurposeSettable else { return false }
                state.isPurposeSettable = false
                state.purpose = Purpose(text: newValue, in: registry)
                return true
            }
            precondition(
                wasSettable,
                "a file coordinator's purpose can be set once, and not if it was made for a presenter"
            )
        }
    }

    /// Fails what this coordinator waits for, and all it is asked to do later, with
    /// `CocoaError.userCancelled`.
    ///
    /// An accessor that runs already goes on. Returns at once.
    open func cancel() {
        let fetches = state.withLock { state in
            state.isCancelled = true
            return Array(state.fetches.values)
        }
        for fetch in fetches { fetch.cancel() }
        registry.cancel(coordinator: number)
    }

    /// Whether no contents are fetched for what only a placeholder is here of: for those who make and fill placeholders.
    package var leavesPlaceholders: Bool {
        get { state.withLock { $0.leavesPlaceholders } }
        set { state.withLock { $0.leavesPlaceholders = newValue } }
    }

    /// What has to be fetched before items are accessed.
    func missingContents(for items: [RequestedItem]) -> [ContentsFetch] {
        leavesPlaceholders ? [] : ContentsFetch.missing(for: items)
    }

    /// Waits for contents, one item's after another's, blocking the thread.
    ///
    /// - Throws: `CocoaError`, as `ContentsFetch.run`.
    func run(_ fetches: [ContentsFetch], _ progress: (() -> Progress)? = nil) throws {
        guard !fetches.isEmpty else { return }
        let queueID = BlockedCaller().queueID
        for fetch in fetches {
            let id = UUID()
            let isCancelled = state.withLock { state in
                state.fetches[id] = fetch
                return state.isCancelled
            }
            defer { state.withLock { $0.fetches[id] = nil } }
            if isCancelled { fetch.cancel() }
            // It counts for whoever has made a progress the thread's current one.
            let own = progress?() ?? Progress(totalUnitCount: 1)
            try fetch.run(
                own,
                handleMessages: queueID.map { id in { [registry] in registry.handleMessages(for: id) } }
            )
        }
    }

    var caller: AccessCaller {
        AccessCaller(coordinator: number, purpose: state.withLock { $0.purpose }, presenter: presenter)
    }
}

extension Purpose {
    /// The purpose as an identifier; `init(text:in:)` gives it back, in every process.
    fileprivate func text(in registry: FileAccessRegistry) -> String {
        func text(_ client: ClientID, _ kind: String, _ number: UInt64) -> String {
            let client = client == FileAccessRegistry.client ? registry.identity : client
            return "\(String(client.rawValue, radix: 16)).\(kind).\(number)"
        }
        return switch self {
        case .named(let name): name
        case .coordinator(let client, let number): text(client, "coordinator", number)
        case .presenter(let id): text(id.client, "presenter", id.number)
        }
    }

    fileprivate init(text: String, in registry: FileAccessRegistry) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let client = UInt64(parts[0], radix: 16), let number = UInt64(parts[2]),
            client != 0, parts[1] == "presenter" || parts[1] == "coordinator"
        else {
            self = .named(text)
            return
        }
        let owner = ClientID(client) == registry.identity ? FileAccessRegistry.client : ClientID(client)
        self =
            parts[1] == "presenter"
            ? .presenter(PresenterID(client: owner, number: number)) : .coordinator(owner, number)
    }
}
