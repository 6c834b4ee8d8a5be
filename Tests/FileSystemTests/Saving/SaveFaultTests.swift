import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing

@Suite("Save faults", .onOwnThreads)
struct SaveFaultTests {
    static let codes: [CInt] = [ENOSPC, EIO, EACCES, EPERM, EMFILE]

    @Test("Whichever call fails, the item is whole and the error tells", arguments: SaveScenario.all)
    func everyCall(scenario: SaveScenario) throws {
        for code in Self.codes {
            var callNumber = 0
            var isFailed = true
            while isFailed {
                callNumber += 1
                isFailed = try run(scenario, callNumber: callNumber, code)
            }
            #expect(callNumber > 10)
        }
    }

    /// - Returns: Whether there were so many calls.
    func run(_ scenario: SaveScenario, callNumber: Int, _ code: CInt) throws -> Bool {
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        let folder = scratch.path.appending("disk")
        try FileManager.default.createDirectory(atPath: folder.string, withIntermediateDirectories: false)
        let item = folder.appending(SaveScenario.itemName)
        try scenario.old?.write(to: item)
        let faults = FaultInjector(
            callNumber: callNumber,
            errno: code,
            refusesExchange: scenario.refusesExchange
        )
        let failure = save(scenario, at: item, faults)
        let place: Comment =
            "\(scenario.name), call \(callNumber) \(String(describing: faults.failed)), \(code)"
        let found = try DiskTree(at: item)
        if let failure {
            #expect(failure.errno == code, place)
            #expect(failure.call == faults.failed?.name, place)
            #expect(failure.path.string.hasPrefix(folder.string), place)
            #expect(!failure.remedy.isEmpty)
        }
        if failure == nil || failure?.isNewInPlace == true {
            #expect(found == scenario.new, place)
        } else if found != scenario.old {
            // Removing what is old is a step after the commit: its failure is not about the item.
            #expect(failure?.call == "unlinkat" || failure?.path.string.contains(".sheaf-") == true, place)
            #expect(found == scenario.new, place)
        } else {
            let names = try FileReading.entries(in: folder).map(\.name)
            #expect(names == (scenario.old == nil ? [] : [SaveScenario.itemName]), place)
        }
        #expect(try scenario.complaint(about: folder, mustBeNew: failure == nil) == nil, place)
        return faults.failed != nil
    }

    func save(_ scenario: SaveScenario, at item: FilePath, _ faults: FaultInjector) -> SystemError? {
        do {
            try SystemCallObservation.withObserver(faults) { try scenario.save(item) {} }
            return nil
        } catch {
            if let error = error as? SystemError { return error }
            Issue.record(error)
            return nil
        }
    }
}
