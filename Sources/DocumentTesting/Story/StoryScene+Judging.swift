internal import DeviceSync
internal import DocumentFoundation
internal import Foundation
internal import UIKit

// How a story ends, and what is looked at then.
extension StoryScene {
    /// Ends all troubles, lets all come to rest, and looks at what has come of it: first with the processes that have been through
    /// it, and once more with new ones.
    ///
    /// - Returns: What is wrong.
    func judge() async -> [StoryFault] {
        guard !isOver else { return faults + watch.end().map { StoryFault(.half, $0) } }
        await askWhy()
        await endTroubles()
        do {
            try await world.settle()
            record.noteRest(of: devices.indices)
            for device in devices { try await downloadAll(on: device) }
            let witness = try world.devices([Self.witnessName])[0]
            try await world.settle()
            faults += try await judge(devices, beside: witness, mayHaveLeftovers: true)
            if faults.isEmpty {
                for device in devices {
                    device.stop()
                    device.startAgain()
                }
                try await world.settle()
                faults += try await judge(devices, beside: witness).map { fault in
                    StoryFault(fault.kind, "after all were started again: \(fault.text)")
                }
            }
            // In the end: what is in conflict may be merged by that, and saved.
            for device in devices + [witness] { await openAll(on: device) }
        } catch {
            note(StoryFault(error))
        }
        noteUntold()
        return faults + watch.end().map { StoryFault(.half, $0) }
    }

    /// Ends all troubles in the midst of a story, lets all come to rest, and compares them with what the hub has. What is wrong ends
    /// the story, as it is next to what it came from.
    func compareAll() async {
        let formerCount = faults.count
        await endTroubles()
        do {
            try await world.settle()
            record.noteRest(of: devices.indices)
            world.passHour()
            let reader = try await world.readerOfHub()
            defer { reader.stop() }
            let entryCount = world.hubEntryCount
            if await !DocumentWorld.aside({ reader.isInStep(at: entryCount) }) {
                note(
                    StoryFault(
                        .restless,
                        "who gets all from the hub has not got it: \(reader.whatItWaitsFor)"
                    )
                )
            }
            faults += try await judge(devices, beside: reader, mayHaveLeftovers: true, mayHaveLeft: true)
        } catch {
            note(StoryFault(error))
        }
        noteUntold()
        isOver = faults.count > formerCount
        for index in faults.indices.dropFirst(formerCount) {
            let fault = faults[index]
            faults[index] = StoryFault(fault.kind, "when all troubles had ended on the way: \(fault.text)")
        }
    }

    /// Whoever had no trouble goes on as he is: what is stuck in his process would come loose in a new one.
    private func endTroubles() async {
        world.startHub()
        world.freeHub()
        for index in devices.indices {
            await heal(index)
            devices[index].calmLine()
            devices[index].mendLine()
            if !devices[index].isStarted { devices[index].startAgain() }
        }
        for index in devices.indices { await closeAll(on: index) }
        tell("all troubles are over")
    }

    /// Opens all documents on a device, and closes them: of what no document can take in people have nothing, be it on all devices.
    private func openAll(on device: WorldDevice) async {
        for item in items(in: device.folder) {
            guard let document = await opened(item, on: device, unless: { false }) else { continue }
            if await !device.run({ @MainActor in await document.close() }) {
                noteFailure("\(path(item.url)) cannot be closed")
            }
        }
    }

    /// - Parameters:
    ///   - mayHaveLeftovers: Whether there may be what a step has left that failed: it is cleared away with the next retry, ten
    ///     seconds later at most, and by a new process at once.
    ///   - mayHaveLeft: Whether something may stand for contents that have left a device.
    private func judge(
        _ devices: [WorldDevice],
        beside witness: WorldDevice,
        mayHaveLeftovers: Bool = false,
        mayHaveLeft: Bool = false
    ) async throws -> [StoryFault] {
        let judge = StoryJudge(
            acknowledged: acknowledged,
            discarded: discarded,
            evaporated: evaporated,
            record: record,
            isPackage: witness.place.isPackage,
            isMerged: { [kinds] path in
                kinds.contains { $0.isMerged && path.hasSuffix(".\($0.nameExtension)") }
            }
        )
        var all: [StoryJudge.Evidence] = []
        for device in devices + [witness] {
            all.append(try await evidence(of: device, mayHaveLeftovers, mayHaveLeft))
        }
        return judge.faults(all.dropLast(), witness: all[devices.count])
    }

    private func downloadAll(on device: WorldDevice) async throws {
        for url in Self.evicted(in: device.folder) { try await device.download(url) }
    }

    /// The items in a folder of which only placeholders are there. What a step that was not done to its end has left is none.
    nonisolated static func evicted(in folder: URL) -> [URL] {
        let names = FileManager.default.enumerator(atPath: folder.path)
        var items: [URL] = []
        while let name = names?.nextObject() as? String {
            let url = folder.appendingPathComponent(name)
            if url.lastPathComponent.hasPrefix(".sheaf-") {
                names?.skipDescendants()
            } else if let item = Placeholder.itemName(of: url.lastPathComponent) {
                items.append(url.deletingLastPathComponent().appendingPathComponent(item))
            }
        }
        return items
    }

    private func evidence(
        of device: WorldDevice,
        _ mayHaveLeftovers: Bool,
        _ mayHaveLeft: Bool
    ) async throws -> StoryJudge.Evidence {
        var folder = try StoryFolder(device.folder)
        if mayHaveLeftovers { folder.leaveOut(namesFrom: ".sheaf-") }
        let left = mayHaveLeft ? folder.takePlaceholders() : []
        var evidence = StoryJudge.Evidence(name: device.name, folder: folder, left: left)
        for path in evidence.folder.paths {
            if path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) {
                evidence.wrong.append(StoryFault(.differs, "\(device.name) still has “\(path)”"))
            }
            try look(at: device.folder.appendingPathComponent(path), path, on: device, &evidence)
        }
        let conflicts = Set(evidence.conflicts.keys.map { String(decoding: $0, as: UTF8.self) })
        evidence.wrong += await whatStaysOutOfStep(on: device, conflicts: conflicts, left: left)
        return evidence
    }

    private func look(
        at url: URL,
        _ path: String,
        on device: WorldDevice,
        _ evidence: inout StoryJudge.Evidence
    ) throws {
        let versions = try versions(of: url, on: device)
        for version in versions {
            let held = try StoryFolder(item: version.url).undressed
            evidence.keptMarks.formUnion(held.marks)
            if version.isConflict, !version.isResolved {
                evidence.conflicts[Array(path.utf8), default: []].insert(held)
            }
            if let half = half(version.url, as: url) {
                evidence.wrong.append(StoryFault(.half, "a version of \(path): \(half)"))
            }
        }
        if let half = half(url, as: url) { evidence.wrong.append(StoryFault(.half, half)) }
    }

    func versions(of url: URL, on device: WorldDevice) throws -> [NSFileVersion] {
        VersionStore.$shared.withValue(device.versions) { NSFileVersion.otherVersionsOfItem(at: url) ?? [] }
    }

    private func half(_ place: URL, as url: URL) -> String? {
        kinds.first { $0.nameExtension == url.pathExtension }?.whatIsHalf(at: place.path)
    }
}
