internal import DocumentFoundation
public import Foundation
public import UIKit

/// A kind of documents that people have in the story of a world: your own class, or one of those that are there.
///
/// Edits are known by their marks, such as “mark-3-17.”: a document has to save each as plain UTF-8 text, in a file of its own
/// or in one of its package, once it was told to hold it, and to keep those that it has loaded.
public struct StoryKind: Sendable {
    /// How names of such documents end, without the dot.
    public let nameExtension: String
    /// Makes a document for a place.
    let make: @MainActor @Sendable (URL) throws -> UIDocument
    /// Has a document hold a mark more. Which device's person it is, is a number.
    let edit: @MainActor @Sendable (UIDocument, String, Int) throws -> Void
    /// Of a package: what is always in it, alike; empty for what may be anything.
    var alikeMembers: [String] = []
    /// Whether edits of all devices can be merged.
    var isMerged = false
    /// What it is called in a test; nil for a kind of somebody's own.
    private var ownName: String?
    /// Whether a package is whole; nil where nobody can tell.
    let isWhole: (@Sendable (URL) -> Bool)?

    /// A kind of your own.
    ///
    ///     StoryKind("note", Note.init) { note, mark, _ in note.text += mark + "\n" }
    ///
    /// - Parameters:
    ///   - nameExtension: How names of such documents end, without the dot: it decides whether they are packages, and how they
    ///     are merged.
    ///   - make: Makes a document for a place.
    ///   - edit: Has a document hold a mark more; the number is that of the device.
    ///   - isWhole: Of documents that are packages, whether the one at a place is whole; one that is not is a fault of the story.
    ///     It is asked on any thread, again and again while the story goes on, of all packages in the devices' folders, and in
    ///     the end of their versions too, which have other names. It MUST hold of what two edits are merged to, each member by
    ///     itself, and MUST look as any program does, by `Data(contentsOf:)`: what an app reads in a coordinated way waits for
    ///     saves, and what this library reads fails with the device's disk. What goes, or is another one by the time it has
    ///     answered, does not count. Nil asks nothing.
    public init<Document: UIDocument>(
        _ nameExtension: String,
        _ make: @escaping @MainActor @Sendable (URL) throws -> Document,
        edit: @escaping @MainActor @Sendable (Document, String, Int) throws -> Void,
        isWhole: (@Sendable (URL) -> Bool)? = nil
    ) {
        self.nameExtension = nameExtension
        self.make = make
        self.isWhole = isWhole
        self.edit = { document, mark, device in
            guard let document = document as? Document else { return }
            try edit(document, mark, device)
        }
    }

    /// Whether anybody can tell which of its packages are half.
    var isChecked: Bool { !alikeMembers.isEmpty || isWhole != nil }

    /// Why a package of the kind is half.
    ///
    /// - Returns: Nil for one that is whole, of which nobody can tell, or that is not there.
    func whatIsHalf(at path: String) -> String? {
        if !alikeMembers.isEmpty, let half = StoryPackages.whatIsHalf(at: path, members: alikeMembers) {
            return half
        }
        return isWhole.flatMap { StoryPackages.whatIsHalf(at: path, isWhole: $0) }
    }

    /// Texts that are merged, files that nobody merges, and packages of several members: such of which all change, in folders too,
    /// and such of which one or two do.
    public static let all = [text, data, package, album]

    /// A text in which each device has its own part: edits of several are merged.
    public static let text: StoryKind = {
        var kind = StoryKind("txt", StoryText.init) { text, mark, device in text.add(mark, device) }
        (kind.isMerged, kind.ownName) = (true, "text")
        return kind
    }()

    /// Bytes that nobody can merge.
    public static let data: StoryKind = {
        var kind = StoryKind("dat", StoryText.init) { text, mark, device in text.add(mark, device) }
        kind.ownName = "data"
        return kind
    }()

    /// A package of several members, all of which change with each edit, and say the same: one that does not is half.
    public static let package: StoryKind = {
        var kind = StoryKind("rtfd", StoryPackage.init) { package, mark, _ in package.add(mark) }
        (kind.alikeMembers, kind.ownName) = (StoryPackage.members, "package")
        return kind
    }()

    /// A package whose members are all beside one another: an edit changes one of them, or two, which say the same.
    public static let album: StoryKind = {
        var kind = StoryKind("bundle", StoryAlbum.init) { album, mark, device in album.add(mark, device) }
        (kind.alikeMembers, kind.ownName) = (StoryAlbum.alikeMembers, "album")
        return kind
    }()

    /// What stands in a test for kinds of which nobody has said how they are written there: it does not compile.
    static let unwritten = "<#the kinds that it was told with#>"

    /// How kinds are written in a test, as far as that can be known: nothing for all of those that are there.
    static func written(_ kinds: [StoryKind]) -> String {
        let names = kinds.compactMap(\.ownName)
        guard names.count == kinds.count else { return unwritten }
        return names == all.map(\.ownName) ? "" : "[\(names.map { ".\($0)" }.joined(separator: ", "))]"
    }
}
