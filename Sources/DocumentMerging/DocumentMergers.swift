internal import DocumentFoundation
internal import Foundation
internal import Locks
public import Merging
public import UniformTypeIdentifiers

/// How documents of this process are merged, by type. Ours; any thread.
///
///     DocumentMergers.register(ChapterMerger(), for: UTType("com.example.chapter") ?? .data)
///
/// Known without being registered: text, XML and HTML, JSON, property lists, replicas of ChangeSets. All other files are
/// a conflict when both sides have changed them. The members of a package are merged each by its own type, told by its
/// name.
public enum DocumentMergers {
    private static let registry = Locked(MergerRegistry.standard)

    /// Has files of a type merged in a way of their own, and files of all types that conform to it and have no nearer
    /// one.
    ///
    /// Every device that merges must have the same, or they come to different bytes.
    ///
    /// It counts for documents that are open in this process. What two devices have changed while it is open nowhere `sheaf up`
    /// merges, as devices of a `DocumentWorld` do: by ours alone. What those cannot merge is in conflict until a document of the
    /// type is opened where the merger is registered.
    ///
    /// - Parameters:
    ///   - merger: Takes the place of the one for this type, ours included.
    ///   - type: A type of files. One of folders has no effect: a package is merged by its members.
    public static func register(_ merger: any Merger, for type: UTType) {
        registry.withLock { $0.register(merger, for: type) }
    }

    /// The merger for files of a type: that of the most specific type it conforms to.
    ///
    /// Of several that have nothing to do with each other, the one whose identifier comes first.
    ///
    /// - Parameter type: The files' type.
    public static func merger(for type: UTType) -> any Merger {
        registry.withLock { $0.merger(for: type) }
    }

    /// Merges what `mergedContents(ofType:base:mine:theirs:)` of a document is given.
    ///
    /// Where both changed the same, one side's stands, the same one on every device, and the conflicts say so: an
    /// override may accept that, or look at them and decide otherwise. Where the base is not known, what differs is a
    /// conflict, unless its merger needs none.
    ///
    /// - Parameters:
    ///   - typeName: The identifier of the documents' type; nil or an unknown one merges as bytes.
    ///   - base: What both started from; nil where it is not known.
    ///   - mine: `Data`, or the `FileWrapper` of a package.
    ///   - theirs: Of the same kind. No tree is changed; a new one shares members with them.
    /// - Returns: Nil for contents that are neither, or not of one kind.
    /// - Throws: `CocoaError.fileReadUnknown` when a member that has to be looked into cannot be read.
    /// - Cost: Of a package, each listed folder that differs is gone through, and what both sides have changed is read.
    public static func merge(
        ofType typeName: String?,
        base: Any?,
        mine: Any,
        theirs: Any
    ) throws -> MergedContents? {
        if let mine = bytes(mine), let theirs = bytes(theirs) {
            let type = typeName.flatMap { UTType($0) } ?? .data
            return merge(type, base.flatMap(bytes), mine, theirs)
        }
        guard let mine = mine as? FileWrapper, let theirs = theirs as? FileWrapper,
            mine.isDirectory, theirs.isDirectory
        else { return nil }
        let known = (base as? FileWrapper).flatMap { $0.isDirectory ? $0 : nil }
        var merge = WrapperMerge { merger(ofFileNamed: $0) }
        let contents = try merge.merge(base: known, mine: mine, theirs: theirs)
        return MergedContents(contents: contents, conflicts: merge.conflicts)
    }

    private static func merge(_ type: UTType, _ base: Data?, _ mine: Data, _ theirs: Data) -> MergedContents {
        let merger = merger(for: type)
        let usable: any Merger = base == nil && merger.needsBase ? BytesMerger() : merger
        let merged = usable.merge(base: base.map { Array($0) }, mine: Array(mine), theirs: Array(theirs))
        return MergedContents(contents: Data(merged.contents), conflicts: merged.conflicts)
    }

    /// A lone file's bytes; nil for what is no file.
    private static func bytes(_ contents: Any) -> Data? {
        if let data = contents as? Data { return data }
        guard let wrapper = contents as? FileWrapper, wrapper.isRegularFile else { return nil }
        return wrapper.regularFileContents
    }

    /// The merger for a file, a document or a member of one, by the type that its name tells.
    package static func merger(ofFileNamed name: String) -> any Merger {
        merger(for: type(ofFileNamed: name))
    }

    /// The same, by ours alone, whatever is registered here: what a device comes to that merges files of all apps must not hang on
    /// which of them shares its process.
    package static func standardMerger(ofFileNamed name: String) -> any Merger {
        MergerRegistry.standard.merger(for: type(ofFileNamed: name))
    }

    private static func type(ofFileNamed name: String) -> UTType {
        let pathExtension = URL(fileURLWithPath: name, isDirectory: false).pathExtension
        return PackageTypes.currentType(ofExtension: pathExtension) ?? .data
    }
}

/// What a merge of two versions of a document came to.
public struct MergedContents {
    /// The merged contents: `Data`, or the `FileWrapper` of a package; never with marks in them.
    public var contents: Any
    /// Where both changed the same; in packages the place begins with the names of members.
    public var conflicts: [MergeConflict]

    /// - Parameters:
    ///   - contents: The merged contents.
    ///   - conflicts: Where both changed the same.
    public init(contents: Any, conflicts: [MergeConflict]) {
        self.contents = contents
        self.conflicts = conflicts
    }
}
