internal import Foundation

extension FileWrapper {
    /// How `init(url:options:)` and `read(from:options:)` read.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The set as bits.
        public let rawValue: UInt

        /// Takes a set as its bits; unknown ones are kept and mean nothing.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Reads everything now, down to the last member, instead of when it is asked for.
        ///
        /// Together with `withoutMapping` the result no longer depends on any file.
        public static let immediate = ReadingOptions(rawValue: 1)
        /// Never maps a file into memory.
        ///
        /// Without it large files are mapped: they cost address space, not memory, but a program that cuts
        /// such a file short in place ends the process that then touches the missing bytes (SIGBUS). Files
        /// that are replaced, as every save here does, stay whole for those who have them mapped.
        public static let withoutMapping = ReadingOptions(rawValue: 2)
    }

    /// How `write(to:options:originalContentsURL:)` writes.
    public struct WritingOptions: OptionSet, Sendable {
        /// The set as bits.
        public let rawValue: UInt

        /// Takes a set as its bits; unknown ones are kept and mean nothing.
        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// A reader sees the old contents or the new, and an error leaves the old.
        ///
        /// Differs from Darwin: every write is made like this, with the option or without.
        public static let atomic = WritingOptions(rawValue: 1)
        /// After success every wrapper of the tree takes the name it was written under as its `filename`, and
        /// counts as read from there: the next write links what has not changed.
        public static let withNameUpdating = WritingOptions(rawValue: 2)
    }
}
