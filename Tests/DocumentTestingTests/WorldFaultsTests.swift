import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

/// A line for each device, with lines between them that nobody edits.
private final class Board: UIDocument {
    var lines: [String] = []

    override func contents(forType typeName: String) throws -> Any {
        Data(lines.map { $0 + "\n" }.joined().utf8)
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        lines = String(decoding: contents as? Data ?? Data(), as: UTF8.self).split(separator: "\n")
            .map(String.init)
    }
}

@Suite("Faults of a world at random", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldFaultsTests {
    private static let names = ["phone", "pad", "desk"]

    @Test(
        "Disks fill and fail, clocks jump, lines are cut and lose messages at random, and every edit that was saved is there",
        arguments: 0..<5
    )
    func faults(run: Int) async throws {
        let world = try DocumentWorld()
        let seed = world.seed
        print("WorldFaultsTests: SHEAF_SEED=\(seed)")
        var random = world.numbers()
        let devices = try world.devices(Self.names)
        try await world.create(Board.init, "a.txt", on: devices[0]) { board in
            board.lines = (0..<12).map { $0 % 4 == 1 ? "\($0 / 4) edited 0 times" : "line \($0)" }
        }
        try await world.settle()
        // Of each device: the last edit that was saved, and how many were tried.
        var (saved, tried) = ([0, 0, 0], [0, 0, 0])
        for _ in 0..<30 {
            let index = Int(random.next() % 3)
            let device = devices[index]
            switch random.next() % 14 {
            case 0: try device.fillDisk()
            case 1, 2: device.freeDisk()
            case 3: device.goOffline()
            case 12: device.disturbLine()
            case 13: device.calmLine()
            case 4: device.goOnline()
            case 6:
                let access: [WorldDevice.DiskAccess] = [.reading, .writing, [.reading, .writing]]
                try device.breakDisk(access[Int(random.next() % 3)])
            case 7: device.mendDisk()
            case 5: device.setClock(aheadBySeconds: Double(Int(random.next() % 20) - 10) * 3e7)
            default:
                tried[index] += 1
                do {
                    try await world.edit(Board.init, "a.txt", on: device) { board in
                        board.lines[index * 4 + 1] = "\(index) edited \(tried[index]) times"
                    }
                    saved[index] = tried[index]
                } catch is WorldDocumentFailure {
                    // Its disk is full, or fails.
                }
            }
        }
        for device in devices {
            device.freeDisk()
            device.mendDisk()
            device.calmLine()
            device.goOnline()
        }
        do { try await world.settle() } catch { Issue.record("seed \(seed): \(error)") }
        for device in devices {
            let url = device.folder.appendingPathComponent("a.txt")
            let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n")
            #expect(lines.count == 12, "seed \(seed)")
            for index in 0..<3 where lines.count == 12 {
                let count = Int(lines[index * 4 + 1].split(separator: " ")[2]) ?? -1
                // An edit that could not be saved is gone with its document.
                #expect(count == saved[index], "seed \(seed): \(lines)")
            }
            #expect(try device.unresolvedConflicts(of: url) == [], "seed \(seed)")
        }
        try world.end()
    }
}
