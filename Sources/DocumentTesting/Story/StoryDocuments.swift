internal import Foundation
internal import UIKit

/// Lines, of which each device has its own part.
struct StoryLines {
    private var lines = (0..<8).map { "part \($0)" }

    init() {}

    init(_ data: Data) {
        lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    mutating func add(_ mark: String, _ device: Int) {
        let at = lines.firstIndex(of: "part \(device % 8)").map { $0 + 1 } ?? lines.count
        lines.insert(mark, at: at)
    }

    var data: Data { Data(lines.map { $0 + "\n" }.joined().utf8) }
}

/// A file of such lines.
final class StoryText: UIDocument {
    private var lines = StoryLines()

    func add(_ mark: String, _ device: Int) { lines.add(mark, device) }

    override func contents(forType typeName: String) throws -> Any { lines.data }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let data = contents as? Data else { throw CocoaError(.fileReadCorruptFile) }
        lines = StoryLines(data)
    }
}

/// Notes, which are merged, and two members that nobody merges and that say the same: each edit is in the one or in the others.
final class StoryAlbum: UIDocument {
    private var notes = StoryLines()
    private var marks: [String] = []

    nonisolated static let notes = "notes.txt"
    /// What says the same at any time.
    nonisolated static let alikeMembers = ["TXT.rtf", "copy.dat"]
    /// What stays as it was made.
    nonisolated static let cover = "cover.dat"

    func add(_ mark: String, _ device: Int) {
        let isNote = StoryMarks.number(of: mark).isMultiple(of: 2)
        if isNote { notes.add(mark, device) } else { marks.append(mark) }
    }

    override func contents(forType typeName: String) throws -> Any {
        let root = FileWrapper(directoryWithFileWrappers: [:])
        root.addRegularFile(withContents: notes.data, preferredFilename: Self.notes)
        root.addRegularFile(withContents: Data("cover\n".utf8), preferredFilename: Self.cover)
        let data = Data((["marks"] + marks).map { $0 + "\n" }.joined().utf8)
        for member in Self.alikeMembers { root.addRegularFile(withContents: data, preferredFilename: member) }
        return root
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        let members = (contents as? FileWrapper)?.fileWrappers
        guard let notes = members?[Self.notes]?.regularFileContents,
            let alike = members?[Self.alikeMembers[0]]?.regularFileContents
        else { throw CocoaError(.fileReadCorruptFile) }
        self.notes = StoryLines(notes)
        marks = String(decoding: alike, as: UTF8.self).split(separator: "\n").dropFirst().map(String.init)
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
        lines.insert("state \(StoryMarks.number(of: mark))", at: 0)
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
