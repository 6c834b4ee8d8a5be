internal import Coordination

extension NSFileCoordinator {
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

        /// Of a folder in a container, the contents of all that is in it are fetched first, too: it is copied.
        package static let withAllContents = ReadingOptions(rawValue: 1 << 16)
    }

    /// How a writer will use an item: one option, or none for updating what is there.
    ///
    /// Of several, the one that excludes others most counts. Where only a placeholder is here of an item in a container, its
    /// contents are fetched first, unless only metadata is written: so what `FileManager` does to the item's URL is done to the
    /// item, and without the hub it fails. For a move out of a container, with `.forMoving` here and `.forReplacing` there, all
    /// in a folder is fetched.
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
        /// Of a folder in a container, the contents of all that is in it are fetched first, too: it goes where nobody fetches them.
        package static let withAllContents = WritingOptions(rawValue: 1 << 17)
        /// Where only a placeholder is here, the writer deals with that: contents are fetched for an item alone that leaves its
        /// container.
        package static let leavingPlaceholder = WritingOptions(rawValue: 1 << 18)

        var writing: AccessClaim.Writing {
            if contains(.forEvicting) { return .evicting }
            if contains(.forReplacing) { return .replacing }
            if contains(.forDeleting) { return .deleting }
            if contains(.forMoving) { return .moving }
            return contains(.forMerging) ? .merging : .updating
        }
    }
}
