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

    /// Texts that are merged, files that nobody merges, and packages of several members.
    public static let all = [text, data, package]

    /// A text in which each device has its own part: edits of several are merged.
    public static let text = StoryKind("txt", StoryText.init) { text, mark, device in text.add(mark, device) }

    /// Bytes that nobody can merge.
    public static let data = StoryKind("dat", StoryText.init) { text, mark, device in text.add(mark, device) }

    /// A package of several members, all of which change with each edit, and say the same: one that does not is half.
    public static let package: StoryKind = {
        var kind = StoryKind("rtfd", StoryPackage.init) { package, mark, _ in package.add(mark) }
        kind.alikeMembers = StoryPackage.members
        return kind
    }()
}

/// Lines, of which each device has its own part.
final class StoryText: UIDocument {
    private var lines = (0..<8).map { "part \($0)" }

    func add(_ mark: String, _ device: Int) {
        let at = lines.firstIndex(of: "part \(device % 8)").map { $0 + 1 } ?? lines.count
        lines.insert(mark, at: at)
    }

    override func contents(forType typeName: String) throws -> Any {
        Data(lines.map { $0 + "\n" }.joined().utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
        lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}

/// Several members, each with the same in it: which save it was, and all marks.
final class StoryPackage: UIDocument {
    private var lines: [String] = []

    /// What every package of a story has in it, at any time.
    nonisolated static let members = ["TXT.rtf", "one.txt", "two.dat", "pages/three.txt", "pages/four.dat"]

    func add(_ mark: String) {
        // First, where each edit changes it: two that were made at once never merge in one member and not in another.
        if let first = lines.first, first.hasPrefix("state ") { lines.removeFirst() }
        lines.append(mark)
        lines.insert("state \(mark)", at: 0)
    }

    override func contents(forType typeName: String) throws -> Any {
        let data = Data(lines.map { $0 + "\n" }.joined().utf8)
        let root = FileWrapper(directoryWithFileWrappers: [:])
        let pages = FileWrapper(directoryWithFileWrappers: [:])
        pages.preferredFilename = "pages"
        for member in Self.members {
            let wrapper = FileWrapper(regularFileWithContents: data)
            let name = member.split(separator: "/").map(String.init)
            wrapper.preferredFilename = name[name.count - 1]
            (name.count > 1 ? pages : root).addFileWrapper(wrapper)
        }
        root.addFileWrapper(pages)
        return root
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let root = contents as? FileWrapper,
            let data = root.fileWrappers?[Self.members[0]]?.regularFileContents
        else { throw CocoaError(.fileReadCorruptFile) }
        lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }
}
