extension UIDocument {
    /// How a document stands. No option set is `normal`: open, editable, saved without trouble.
    public struct State: OptionSet, Hashable, Sendable {
        /// Apple's bits.
        public let rawValue: UInt

        /// Makes a state of Apple's bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Open, editable, no conflict and no error.
        public static var normal: State { [] }
        /// Never opened with success, or closed since.
        public static let closed = State(rawValue: 1 << 0)
        /// Someone else's contents were found where this document's should be, and both are kept.
        public static let inConflict = State(rawValue: 1 << 1)
        /// The last save or revert failed.
        public static let savingError = State(rawValue: 1 << 2)
        /// Edits would be lost now: the document is being closed or read anew.
        public static let editingDisabled = State(rawValue: 1 << 3)
        /// The contents are being downloaded, to be read, or uploaded: `progress` says how far.
        public static let progressAvailable = State(rawValue: 1 << 4)
    }

    /// What happened to a document's contents.
    public enum ChangeKind: Int, Sendable {
        /// An edit.
        case done = 0
        /// An edit was undone.
        case undone = 1
        /// An undone edit was made again.
        case redone = 2
        /// What is in memory is what is on disk.
        case cleared = 3
    }

    /// Why a document is written.
    public enum SaveOperation: Int, Sendable {
        /// For the first time, to a place where nothing is.
        case forCreating = 0
        /// Over the document's own file.
        case forOverwriting = 1
    }

    /// A way of making a document, as an app names it.
    public struct CreationIntent: RawRepresentable, Hashable, Sendable {
        /// The app's name for it.
        public let rawValue: String

        /// Names an intent.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Names an intent.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// The one way of an app that has no other.
        public static let `default` = CreationIntent("default")
    }
}
