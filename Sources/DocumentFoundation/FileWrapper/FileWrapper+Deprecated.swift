internal import Foundation

/// The path-based interface that macOS gave up in 10.10. A failure is nil, false or "", without a reason.
extension FileWrapper {
    /// Makes a wrapper for what is at a path; nil when it cannot be read.
    @available(*, deprecated, message: "Use init(url:options:), which says why it failed.")
    public convenience init?(path: String) {
        // The nil is all that this interface tells.
        try? self.init(url: URL(fileURLWithPath: path), options: [])
    }

    /// Makes a symbolic link with this text.
    @available(*, deprecated, message: "Use init(symbolicLinkWithDestinationURL:).")
    public convenience init(symbolicLinkWithDestination path: String) {
        self.init(state: WrapperState(.symbolicLink(path)))
    }

    /// Adds what is at a path under its name there.
    ///
    /// - Returns: The key; "" when the item cannot be read.
    @available(*, deprecated, message: "Use addFileWrapper(_:) with init(url:options:).")
    @discardableResult
    public func addFile(withPath path: String) -> String {
        // The empty key is all that this interface tells.
        guard let child = try? FileWrapper(url: URL(fileURLWithPath: path), options: []) else { return "" }
        return addFileWrapper(child)
    }

    /// Adds a symbolic link with this text.
    ///
    /// - Returns: The key.
    @available(*, deprecated, message: "Use addFileWrapper(_:) with init(symbolicLinkWithDestinationURL:).")
    @discardableResult
    public func addSymbolicLink(withDestination path: String, preferredFilename filename: String) -> String {
        let child = FileWrapper(state: WrapperState(.symbolicLink(path)))
        child.preferredFilename = filename
        return addFileWrapper(child)
    }

    /// The text of a symbolic link; "" when it can no longer be read.
    @available(*, deprecated, message: "Use symbolicLinkDestinationURL.")
    public func symbolicLinkDestination() -> String {
        // The empty text is all that this interface tells.
        (try? readLinkText()) ?? ""
    }

    /// Whether what is at a path is no longer what this wrapper holds.
    @available(*, deprecated, message: "Use matchesContents(of:).")
    public func needsToBeUpdated(fromPath path: String) -> Bool {
        !matchesContents(of: URL(fileURLWithPath: path))
    }

    /// Reads again from a path if that no longer matches.
    ///
    /// - Returns: Whether something was read.
    @available(*, deprecated, message: "Use read(from:options:), which says why it failed.")
    public func update(fromPath path: String) -> Bool {
        let url = URL(fileURLWithPath: path)
        guard !matchesContents(of: url) else { return false }
        // The false is all that this interface tells.
        return (try? read(from: url, options: [])) != nil
    }

    /// Writes the tree to a path.
    ///
    /// - Returns: Whether that succeeded.
    @available(
        *,
        deprecated,
        message: "Use write(to:options:originalContentsURL:), which says why it failed."
    )
    public func write(
        toFile path: String,
        atomically atomicFlag: Bool,
        updateFilenames updateFilenamesFlag: Bool
    ) -> Bool {
        var options: WritingOptions = []
        if atomicFlag { options.insert(.atomic) }
        if updateFilenamesFlag { options.insert(.withNameUpdating) }
        // The false is all that this interface tells.
        return (try? write(to: URL(fileURLWithPath: path), options: options, originalContentsURL: nil)) != nil
    }
}
