public import Foundation

extension NSURL {
    /// How a bookmark is made.
    public struct BookmarkCreationOptions: OptionSet, Hashable, Sendable {
        /// The options as Apple numbers them.
        public let rawValue: UInt
        /// Takes options by their numbers.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Has no effect: every bookmark is found by the item first, then by its place.
        @available(*, deprecated, message: "Not supported")
        public static var preferFileIDResolution: Self { Self(rawValue: 1 << 8) }
        /// Keeps less: no resource values, and no handle of the kernel.
        public static var minimalBookmark: Self { Self(rawValue: 1 << 9) }
        /// Lets the bookmark be written into an alias file.
        public static var suitableForBookmarkFile: Self { Self(rawValue: 1 << 10) }
        /// Gives access to the item where the bookmark is resolved.
        ///
        /// Relative to a folder, it gives access only to what is in that folder. Every bookmark gives access
        /// here, as on iOS, unless it was made `withoutImplicitSecurityScope`.
        public static var withSecurityScope: Self { Self(rawValue: 1 << 11) }
        /// The access that is given is for reading. Kept, and not enforced.
        public static var securityScopeAllowOnlyReadAccess: Self { Self(rawValue: 1 << 12) }
        /// Gives no access where the bookmark is resolved.
        public static var withoutImplicitSecurityScope: Self { Self(rawValue: 1 << 29) }
    }

    /// How a bookmark is resolved.
    public struct BookmarkResolutionOptions: OptionSet, Hashable, Sendable {
        /// The options as Apple numbers them.
        public let rawValue: UInt
        /// Takes options by their numbers.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Asks nobody anything. Nobody is ever asked.
        public static var withoutUI: Self { Self(rawValue: 1 << 8) }
        /// Mounts nothing. Nothing is ever mounted.
        public static var withoutMounting: Self { Self(rawValue: 1 << 9) }
        /// Asks for the access that the bookmark gives; begin it with
        /// `startAccessingSecurityScopedResource()`.
        public static var withSecurityScope: Self { Self(rawValue: 1 << 10) }
        /// Gives the access that the bookmark gives, and does not begin it.
        public static var withoutImplicitStartAccessing: Self { Self(rawValue: 1 << 15) }
    }

    /// How an alias file is written: there is nothing to choose.
    public typealias BookmarkFileCreationOptions = Int
}

extension URL {
    /// How a bookmark is made.
    public typealias BookmarkCreationOptions = NSURL.BookmarkCreationOptions
    /// How a bookmark is resolved.
    public typealias BookmarkResolutionOptions = NSURL.BookmarkResolutionOptions
}
