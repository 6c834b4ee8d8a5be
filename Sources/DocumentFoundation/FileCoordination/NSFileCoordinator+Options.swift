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
}
