internal import FileSystem
internal import Foundation
internal import Locks

/// The one lock under which every file wrapper's state is read and changed.
///
/// A wrapper may sit in several parents and move between trees, so a change to one name touches wrappers that
/// nothing else ties together; a lock per wrapper would need an order that such a graph does not have. It is
/// held for look-ups and assignments only: no file is touched and no overridable method called under it.
enum TreeLock {
    // `Locked` cannot be used: what it guards would be the wrappers themselves, which are not sendable.
    private static let lock = NSLock()
    private static let serial = Locked<UInt64>(0)

    /// Runs `body` alone among all that read or change wrappers.
    static func with<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    /// A number greater than all given before; orders changes against captures.
    static func nextSerial() -> UInt64 {
        serial.withLock { serial in
            serial += 1
            return serial
        }
    }
}

/// Everything a file wrapper is.
///
/// Read and changed under `TreeLock` only.
struct WrapperState {
    var contents: WrapperContents
    var preferredFilename: String?
    var filename: String?
    /// What the application has set, or an archive held; nil where the item on disk tells.
    var attributes: [String: Any]?
    /// The serial of the last change to `attributes` that is not on disk; nil when none is pending.
    var attributesChange: UInt64?
    /// Which item on disk this wrapper was read from or last written to.
    var record: DiskRecord?
    var parents = WrapperParents()
    /// The key that it got last in any directory; in each of its parents it may be another's, or nobody's, by now.
    var lastKey: String?

    init(
        _ contents: WrapperContents,
        name: String? = nil,
        record: DiskRecord? = nil
    ) {
        self.contents = contents
        self.preferredFilename = name
        self.filename = name
        self.record = record
    }
}

/// What a wrapper holds.
///
/// A nil is what has not been read yet.
enum WrapperContents {
    case file(Data?)
    case symbolicLink(String?)
    case directory(WrapperDirectory?)

    /// Contents of this kind that are still to be read.
    init?(unreadOf kind: FileStamp.Kind) {
        switch kind {
        case .regular: self = .file(nil)
        case .symbolicLink: self = .symbolicLink(nil)
        case .directory: self = .directory(nil)
        case .other: return nil
        }
    }

    var kind: FileStamp.Kind {
        switch self {
        case .file: .regular
        case .symbolicLink: .symbolicLink
        case .directory: .directory
        }
    }

    /// The children that are listed; nil for what is no directory or not listed.
    var directory: WrapperDirectory? {
        guard case .directory(let directory) = self else { return nil }
        return directory
    }

    /// Whether nothing of the contents has been read.
    var isUnread: Bool {
        switch self {
        case .file(let data): data == nil
        case .symbolicLink(let text): text == nil
        case .directory(let directory): directory == nil
        }
    }
}

/// A wrapper, not kept alive.
struct WeakWrapper {
    weak var wrapper: FileWrapper?

    init(_ wrapper: FileWrapper) {
        self.wrapper = wrapper
    }
}

/// The directories a wrapper is in.
///
/// Nearly always one, which then costs no allocation.
struct WrapperParents {
    private weak var first: FileWrapper?
    private var others: [WeakWrapper] = []

    var all: [FileWrapper] {
        guard !others.isEmpty else { return first.map { [$0] } ?? [] }
        return ([first] + others.map(\.wrapper)).compactMap { $0 }
    }

    func contains(_ parent: FileWrapper) -> Bool {
        first === parent || others.contains { $0.wrapper === parent }
    }

    mutating func insert(_ parent: FileWrapper) {
        guard !contains(parent) else { return }
        if first == nil {
            first = parent
        } else {
            others.removeAll { $0.wrapper == nil }
            others.append(WeakWrapper(parent))
        }
    }

    mutating func remove(_ parent: FileWrapper) {
        if first === parent { first = nil }
        others.removeAll { $0.wrapper == nil || $0.wrapper === parent }
    }
}
