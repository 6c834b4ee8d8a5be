import FileSystem
import Foundation
import TestFolders
import TestThreads
import Testing

@testable import DocumentFoundation

/// Which notes of places stay when there are too many.
@Suite("Notes of places", .onOwnThreads, .timeLimit(.minutes(3)))
struct PlaceMarksTests {
    private let folder: TestFolder
    private let places: PlaceMarks

    init() throws {
        folder = try TestFolder("places")
        places = PlaceMarks(folder: FilePath(folder.url.path))
    }

    /// Places whose notes are in one folder.
    private func neighbours(_ count: Int) -> [FilePath] {
        var paths: [FilePath] = []
        for number in 0... {
            let path = FilePath("/documents/\(number).txt")
            if StableHash.of(path.string) & 0xff == 0 { paths.append(path) }
            if paths.count == count { break }
        }
        return paths
    }

    /// Every note, by when it was used last.
    private func notes() throws -> [URL: Date] {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path)
        return try names.map { folder.url.appendingPathComponent($0) }.reduce(into: [:]) { notes, url in
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            guard attributes[.type] as? FileAttributeType == .typeRegular else { return }
            notes[url] = attributes[.modificationDate] as? Date
        }
    }

    private func age(_ note: URL, days: Double) throws {
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -days * 86400)],
            ofItemAtPath: note.path
        )
    }

    @Test(
        "New ones push out what nobody has used for longest, not what was written first",
        arguments: [true, false]
    )
    func room(byReading: Bool) throws {
        let paths = neighbours(66)
        let (daily, marks) = (paths[0], paths.map { _ in FileMark.fresh() })
        try places.put(marks[0], at: daily)
        let note = try #require(try notes().keys.first)
        for index in 1..<64 { try places.put(marks[index], at: paths[index]) }
        for other in try notes().keys { try age(other, days: other == note ? 20 : 10) }
        if byReading {
            #expect(places.mark(at: daily) == marks[0])
        } else {
            try places.put(marks[0], at: daily)
        }
        for index in 64..<66 { try places.put(marks[index], at: paths[index]) }
        #expect(try notes().count == 64)
        #expect(places.mark(at: daily) == marks[0])
        #expect(places.mark(at: paths[65]) == marks[65])
    }

    @Test("A note that was used today is not touched again")
    func touchedOnceADay() throws {
        let (path, mark) = (FilePath("/documents/a.txt"), FileMark.fresh())
        try places.put(mark, at: path)
        let note = try #require(try notes().keys.first)
        try age(note, days: 0.9)
        let before = try #require(try notes()[note])
        try places.put(mark, at: path)
        #expect(places.mark(at: path) == mark)
        #expect(try notes()[note] == before)
        try age(note, days: 1.1)
        try places.put(mark, at: path)
        #expect(try #require(try notes()[note]).timeIntervalSinceNow > -3600)
    }
}
