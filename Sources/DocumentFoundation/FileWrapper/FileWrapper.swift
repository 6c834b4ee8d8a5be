internal import FileSystem
public import Foundation

/// A file, a directory with all that is in it, or a symbolic link, as a value in memory that can be written.
///
/// Documents that are packages give and take one of these. Nothing below the top is read before someone asks
/// for it; what was not changed is not written again.
///
/// Asking for what a wrapper is not (`fileWrappers` of a regular file) traps, as does adding a child without
/// a preferred name or one that contains its new parent.
///
/// **Changed files.** Contents that have not been read yet are nil once the item on disk is no longer the one
/// that was opened: stale or foreign bytes are never given. The item counts as changed when its kind, size,
/// modification date or identity differs from when it was first touched; a member that nobody touched yet,
/// when it was modified after the tree was opened, or another program has since added, removed or replaced
/// an entry of its directory. Not seen are a write within one clock tick (10 ms at most) of the opening, and
/// one into the same file that sets the date back.
///
/// **Threads.** Any method may be called on any thread; wrappers of all trees share one lock that is never
/// held while files are touched. A sequence of calls is not atomic, so one thread should change a tree at a
/// time. Like Apple's, the class is not `Sendable`, so that subclasses may have state of their own.
///
/// - Differs from Darwin: keys that clash become "Name 2.ext"; a directory that holds a socket, pipe, device
///   or a name that is not UTF-8 cannot be read.
open class FileWrapper: NSObject, NSSecureCoding {
    /// Read and changed under `TreeLock` only.
    var state: WrapperState

    init(state: WrapperState) {
        self.state = state
    }

    // MARK: - Making

    /// Makes a wrapper for what is at a place: a file, a directory or, not followed, a symbolic link.
    ///
    /// - Parameters:
    ///   - url: Where. Its last component becomes `filename` and `preferredFilename`.
    ///   - options: Whether to read all now, and whether files may be mapped.
    /// - Throws: `CocoaError` with a reading code and the POSIX error underneath.
    /// - Cost: one listing of the top directory; no member is touched, unless `immediate` is given.
    public init(url: URL, options: FileWrapper.ReadingOptions = []) throws {
        let reading = try WrapperReading(of: url, options: options)
        state = reading.state
        super.init()
        TreeLock.with { install(reading) }
        if options.contains(.immediate) { try readEverything() }
    }

    /// Makes a directory of the wrappers given.
    ///
    /// - Parameter childrenByPreferredName: Children by preferred name. One that has no `preferredFilename`
    ///   gets its key as one; one that has another is added under that. Clashing names are made unique.
    public init(directoryWithFileWrappers childrenByPreferredName: [String: FileWrapper]) {
        state = WrapperState(.directory(WrapperDirectory()))
        super.init()
        TreeLock.with { adopt(childrenByPreferredName) }
    }

    /// Makes a file with these bytes and no name.
    public init(regularFileWithContents contents: Data) {
        state = WrapperState(.file(contents))
    }

    /// Makes a symbolic link.
    ///
    /// - Parameter url: Where it leads; its `relativePath` becomes the text of the link.
    public init(symbolicLinkWithDestinationURL url: URL) {
        state = WrapperState(.symbolicLink(url.relativePath))
    }

    /// Makes a tree from what `serializedRepresentation` gave; nil when the data is not of that form.
    ///
    /// - Differs from Darwin: the form is our own, see `SerializedWrapper`; Apple's is not published.
    public init?(serializedRepresentation serializeRepresentation: Data) {
        guard let tree = SerializedWrapper(decoding: serializeRepresentation) else { return nil }
        state = WrapperState(.directory(nil))
        super.init()
        TreeLock.with { take(tree) }
    }

    /// Makes a tree from an archive that `encode(with:)` wrote.
    public required init?(coder inCoder: NSCoder) {
        guard let data = inCoder.decodeObject(of: NSData.self, forKey: Self.archiveKey),
            let tree = SerializedWrapper(decoding: Data(referencing: data))
        else { return nil }
        state = WrapperState(.directory(nil))
        super.init()
        TreeLock.with { take(tree) }
    }

    static let archiveKey = "SerializedRepresentation"

    open class var supportsSecureCoding: Bool { true }

    /// Archives the serialized representation, so contents that were never read are read now.
    ///
    /// When they cannot be, the archiver is told with `failWithError(_:)`.
    open func encode(with coder: NSCoder) {
        encodeSerialized(with: coder)
    }

    // MARK: - Kind

    /// Whether this is a directory.
    ///
    /// May change in `read(from:options:)`.
    open var isDirectory: Bool { kind == .directory }
    /// Whether this is a regular file.
    ///
    /// May change in `read(from:options:)`.
    open var isRegularFile: Bool { kind == .regular }
    /// Whether this is a symbolic link.
    ///
    /// May change in `read(from:options:)`.
    open var isSymbolicLink: Bool { kind == .symbolicLink }

    // MARK: - Names and attributes

    /// The name this wants in a directory.
    ///
    /// Setting it gives the wrapper a new key in each of its parents.
    ///
    /// Setting it to nil or "" traps. A wrapper read from disk prefers the name it has there.
    open var preferredFilename: String? {
        get { TreeLock.with { state.preferredFilename } }
        set { prefer(newValue) }
    }

    /// The name under which this was read or last written with `withNameUpdating`; nil if neither happened.
    ///
    /// A record only: setting it neither renames nor redirects anything.
    open var filename: String? {
        get { TreeLock.with { state.filename } }
        set { TreeLock.with { state.filename = newValue } }
    }

    /// Attributes under the raw values of `FileAttributeKey`.
    ///
    /// Of an item on disk that has not changed they are its type, size, permissions and modification date; of
    /// one made in memory its type and open permissions. After setting, what was set. Writing applies
    /// `posixPermissions` and `modificationDate` if they were set; a new item otherwise gets what the process
    /// gives new ones (umask), and one that replaces another keeps the permissions of that.
    ///
    /// - Differs from Darwin: owner, flags and Finder information are kept here but not written.
    open var fileAttributes: [String: Any] {
        get { currentAttributes }
        set { setAttributes(newValue) }
    }

    // MARK: - Contents

    /// The bytes of a regular file, read when first asked for; nil if the file changed before that.
    ///
    /// Traps when this is not a regular file.
    open var regularFileContents: Data? {
        // Apple's contract has nil for whatever keeps the bytes away.
        try? readFileContents()
    }

    /// The children by unique key, listed when first asked for; nil if the directory changed before that.
    ///
    /// Traps when this is not a directory.
    open var fileWrappers: [String: FileWrapper]? {
        // As above: nil is all that Apple's contract tells of a failure.
        try? readChildren()
    }

    /// Where a symbolic link leads, read when first asked for; nil if the link changed before that.
    ///
    /// Traps when this is not a symbolic link. A relative text gives a URL without a base.
    open var symbolicLinkDestinationURL: URL? {
        // As above: nil is all that Apple's contract tells of a failure.
        (try? readLinkText()).map(Self.destinationURL(ofLinkText:))
    }

    /// The whole tree as data; nil if something that was not read yet has changed on disk.
    ///
    /// A wrapper with several parents is written once for each.
    open var serializedRepresentation: Data? {
        // As above: nil is all that Apple's contract tells of a failure.
        try? serialized()
    }

    // MARK: - Children

    /// Adds a child under its preferred name, or one made from it if that is taken.
    ///
    /// Adding what is a child already changes nothing. If the directory on disk changed before its children
    /// were ever asked for, the ones that are there now become the others.
    ///
    /// - Returns: The key. It may later be another's: when this child's preferred name changes, and when the directory
    ///   could not be listed now and can be later, with a member of that name. `keyForChildFileWrapper(_:)` says
    ///   which one it is then.
    @discardableResult
    open func addFileWrapper(_ child: FileWrapper) -> String {
        add(child)
    }

    /// Adds a new regular file with these bytes.
    ///
    /// - Returns: The key, which may later be another's, as that of `addFileWrapper(_:)`.
    @discardableResult
    open func addRegularFile(withContents data: Data, preferredFilename fileName: String) -> String {
        let child = FileWrapper(regularFileWithContents: data)
        child.preferredFilename = fileName
        return addFileWrapper(child)
    }

    /// Takes away a child; without effect if it is none.
    open func removeFileWrapper(_ child: FileWrapper) {
        remove(child)
    }

    /// The key under which a child is in this directory; nil if it is not.
    open func keyForChildFileWrapper(_ child: FileWrapper) -> String? {
        key(forChild: child)
    }

    // MARK: - Disk

    /// Whether dates and permissions say that the item at a place is what this wrapper holds.
    ///
    /// No file is opened: regular files are compared by modification date and permissions, links by their
    /// text, directories by permissions and by their members. A wrapper that was never read nor written
    /// matches nothing, for want of a date.
    open func matchesContents(of url: URL) -> Bool {
        matches(itemAt: url)
    }

    /// Reads again, from this or another place, into the same wrappers.
    ///
    /// Wrappers of members that still have their name are kept, with their contents if the file is unchanged;
    /// others are made and removed. The kind may change. Attributes and changes that were not written are
    /// lost. Other threads may see some members before and others after.
    ///
    /// - Throws: `CocoaError` with a reading code and the POSIX error underneath; when the top itself cannot
    ///   be read, nothing has changed.
    open func read(from url: URL, options: FileWrapper.ReadingOptions = []) throws {
        try readAgain(from: url, options: options)
    }

    /// Writes the tree to a place whose folder exists; what is there already is replaced, as a whole.
    ///
    /// - Parameters:
    ///   - url: Where.
    ///   - options: Whether names are updated; see there.
    ///   - originalContentsURL: Where an earlier version of this tree is. Members that were read from there,
    ///     or written with name updating, and have not changed, are hard-linked instead of written. Nil links
    ///     nothing, so that no file is shared between the two.
    /// - Throws: `CocoaError` with a writing code and the POSIX error underneath; a reading code if contents
    ///   that were never read have changed. The old contents are then in place.
    open func write(
        to url: URL,
        options: FileWrapper.WritingOptions = [],
        originalContentsURL: URL?
    ) throws {
        try save(to: url, options: options, linkingFrom: originalContentsURL)
    }
}
