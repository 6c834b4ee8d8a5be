import FileSystem
import Foundation
import TestFolders
import Testing

@Suite("Many new items that come together")
struct ArrivalsTests {
    private let folder: TestFolder
    private var root: FilePath { FilePath(folder.path) }

    init() throws { folder = try TestFolder("arrivals") }

    /// Makes items as whoever brings them does.
    private func make(_ numbers: [Int], _ arrivals: Arrivals) throws {
        for tray in Set(numbers.map(Arrivals.tray)) {
            try ItemMoves.createFolder(arrivals.folder.appending(Arrivals.name(ofTray: tray)))
        }
        for number in numbers {
            let tray = arrivals.folder.appending(Arrivals.name(ofTray: Arrivals.tray(of: number)))
            let place = tray.appending(Arrivals.name(of: number))
            try ItemMoves.createFile(place, contents: Data("\(number)".utf8))
        }
    }

    @Test("Each item is in the tray that its number tells")
    func trays() {
        let count = 2 * Arrivals.trayItemCount + 1
        let trays = Arrivals.trays(of: count)
        #expect(trays.flatMap { Array($0) } == Array(0..<count))
        for (tray, numbers) in trays.enumerated() {
            #expect(numbers.allSatisfy { Arrivals.tray(of: $0) == tray })
        }
        #expect(Arrivals.trays(of: 0).isEmpty)
    }

    private var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    /// A volume that has no room left as all is to become durable.
    private struct FullVolume: SystemCallObserver {
        func willMake(_ call: SystemCall) -> CInt { call.name == "syncfs" ? ENOSPC : 0 }
        func didMake(_ call: SystemCall) {}
    }

    @Test("They are put in place, and nothing else is left")
    func come() throws {
        let arrivals = try Arrivals(in: root) { $0.stamp.kind == .directory }
        // Of several trays, in any order.
        let last = 2 * Arrivals.trayItemCount
        try make([0, 1, last - 1, last], arrivals)
        try arrivals.settle()
        for number in [last, 0, last - 1] {
            #expect(try arrivals.stamp(of: number).byteCount == "\(number)".utf8.count)
            try arrivals.put(number, at: root.appending("\(number).txt"))
        }
        try arrivals.finish()
        #expect(try Set(names) == ["0.txt", "\(last - 1).txt", "\(last).txt"])
        for name in try names {
            let text = try Data(contentsOf: root.appending(name).url(isDirectory: false))
            #expect(String(decoding: text, as: UTF8.self) + ".txt" == name)
        }
    }

    @Test("What is given up as the disk is full leaves nothing that takes room")
    func givenUp() throws {
        func bring() throws {
            let arrivals = try Arrivals(in: root)
            try make([0], arrivals)
            #expect(try names.count == 1)
            try arrivals.settle()
            try arrivals.put(0, at: root.appending("a"))
            try arrivals.finish()
        }
        let error = #expect(throws: SystemError.self) {
            try SystemCallObservation.withObserver(FullVolume()) { try bring() }
        }
        #expect(error?.isFull == true)
        #expect(try names == [])
    }

    @Test("What was made goes from where it is, though another folder has the place by then")
    func replaced() throws {
        let place = root.appending("folder")
        try ItemMoves.createFolder(place)
        do {
            let arrivals = try Arrivals(in: place)
            try make([0], arrivals)
            try ItemMoves.move(place, toFree: root.appending("aside"))
            try ItemMoves.createFolder(place)
            try arrivals.finish()
        }
        for name in ["folder", "aside"] {
            #expect(try FileManager.default.contentsOfDirectory(atPath: root.appending(name).string) == [])
        }
    }

    @Test("Nothing is made in a folder that is not the one that is meant")
    func another() throws {
        let error = #expect(throws: SystemError.self) { _ = try Arrivals(in: root) { _ in false } }
        #expect(error?.errno == ESTALE)
        #expect(try names == [])
    }
}
