internal import DeviceSync
internal import DocumentFoundation
internal import Foundation
internal import SyncMessages

// What explain says while a story goes on, of all that is in the folders: also of what no device may have seen.
extension StoryScene {
    /// What is known of a device that is asked.
    private struct Asked: Sendable {
        let device: WorldDevice
        /// What is wrong with it; nil for nothing, or for so much that nobody can say what comes first.
        let trouble: Trouble?
    }

    /// What has to be said of all that waits.
    private enum Trouble: String {
        case offline, full
        case withoutHubRoom = "without room at the hub"

        /// What is a reason.
        var kinds: Set<Explanation.Cause.Kind> {
            switch self {
            // What a program has open is not sent, whether or not there is a line; of a folder what is in it says why.
            case .offline: [.offline, .inUse, .beingWritten, .inside]
            case .full:
                [
                    .cannotRemember, .cannotRead, .cannotPlace, .cannotBegin, .cannotSend, .cannotGet,
                    .offline, .inUse,
                    .beingWritten, .emptied, .inside, .hubFull,
                ]
            // On a line that loses messages it is down now and then.
            case .withoutHubRoom: [.hubFull, .offline, .inUse, .beingWritten, .inside]
            }
        }
    }

    /// Has explain be asked of all items, whatever is wrong at the moment.
    func askWhy() async {
        let asked = devices.indices.map { Asked(device: devices[$0], trouble: trouble(of: $0)) }
        faults += await DocumentWorld.aside { asked.flatMap(Self.whatIsNotExplained) }
        for each in asked {
            if let trouble = each.trouble { faults += await whatIsSaidOtherwise(each.device, trouble) }
        }
    }

    private func trouble(of index: Int) -> Trouble? {
        let device = devices[index]
        guard !broken.contains(index), !device.isCrashDue else { return nil }
        if full.contains(index) { return .full }
        guard device.isOnline, world.isHubRunning else { return .offline }
        return world.hasHubRoom ? nil : .withoutHubRoom
    }

    private nonisolated static func whatIsNotExplained(_ asked: Asked) -> [StoryFault] {
        let device = asked.device
        guard let running = device.running else {
            // One that has ended has nothing to say of its items, and says that.
            guard device.isStarted, !device.isCrashDue else { return [] }
            return [StoryFault(.explain, "\(device.name) is started, and keeps nothing in step")]
        }
        let known = running.standings(below: "").compactMap { state, explanation in
            StoryJudge.fault(in: explanation, of: state, on: device.name)
        }
        let found = paths(in: device).compactMap { path in
            let url = device.folder.appendingPathComponent(path)
            let wasThere = Self.isThere(url)
            let explanation = running.explainAlone(path)
            return StoryJudge.fault(
                in: explanation,
                at: path,
                on: device.name,
                isThere: wasThere && Self.isThere(url)
            )
        }
        return known + found
    }

    /// The items of a folder, by what is in it.
    nonisolated static func paths(in device: WorldDevice) -> [String] {
        let names = FileManager.default.enumerator(atPath: device.folder.path)
        var paths: [String] = []
        while let name = names?.nextObject() as? String {
            let last = (name as NSString).lastPathComponent
            if last.hasPrefix(".") {
                names?.skipDescendants()
                guard !last.hasPrefix(".sheaf-"), let item = Placeholder.itemName(of: last) else { continue }
                paths.append(
                    ((name as NSString).deletingLastPathComponent as NSString).appendingPathComponent(item)
                )
                continue
            }
            if device.place.isPackage(last) { names?.skipDescendants() }
            paths.append(name)
        }
        return paths
    }

    /// Waits until of all that waits on a device it is said to do so for what is wrong.
    private func whatIsSaidOtherwise(_ device: WorldDevice, _ trouble: Trouble) async -> [StoryFault] {
        let end = Date().addingTimeInterval(saidSeconds)
        while true {
            let others = await DocumentWorld.aside { Self.saidOtherwise(device, trouble) }
            guard !others.isEmpty else { return [] }
            guard Date() < end else {
                return others.map { said in
                    StoryFault(.explain, "\(device.name) is \(trouble.rawValue), and explain says: \(said)")
                }
            }
            await pass(2)
        }
    }

    private nonisolated static func saidOtherwise(_ device: WorldDevice, _ trouble: Trouble) -> [Explanation]
    {
        guard let running = device.running else { return [] }
        return paths(in: device).map { running.explainAlone($0) }.filter { explanation in
            !explanation.isSettled && trouble.kinds.isDisjoint(with: explanation.chain.map(\.kind))
        }
    }

    // MARK: What is in step

    /// So often in a story something is compared: somebody has to get all from the hub for it.
    private static let comparisonCountMax = 1

    /// Compares what explain says is in step with what the hub has, to the last byte.
    ///
    /// - Parameter some: Devices at rest.
    func compareWithHub(_ some: [Int]) async throws {
        guard !some.isEmpty, comparisonCount < Self.comparisonCountMax else { return }
        // Before and after: what changes in between is in step with neither. A device that is in trouble may tell something, too.
        let entryCount = world.hubEntryCount
        let before = await said(of: some)
        let reader = try await world.readerOfHub()
        defer { reader.stop() }
        guard await DocumentWorld.aside({ reader.isInStep(at: entryCount) }) else { return }
        let hub = try StoryFolder(reader.folder)
        let folders = try some.map { try StoryFolder(devices[$0].folder) }
        let after = await said(of: some)
        guard world.hubEntryCount == entryCount else { return }
        comparisonCount += hub.items.isEmpty ? 0 : 1
        for (place, index) in some.enumerated() {
            let same = before[place].filter { after[place][$0.key] == $0.value }
            for (path, explanation) in same.sorted(by: { $0.key < $1.key }) where explanation.isSettled {
                let (held, wanted) = (folders[place].item(at: path), hub.item(at: path))
                // Of what has left nothing is there to be compared.
                guard !held.items.isEmpty,
                    held.items[[]] != .folder || wanted.items[[]] != .folder
                        || devices[index].place.isPackage((path as NSString).lastPathComponent)
                else { continue }
                guard let difference = held.difference(to: wanted) else { continue }
                let said = "\(explanation.causes), and beside what the hub has it \(difference)"
                note(StoryFault(.explain, "explain says of “\(path)” on \(devices[index].name): \(said)"))
            }
        }
    }

    private func said(of some: [Int]) async -> [[String: Explanation]] {
        let some = some.map { devices[$0] }
        return await DocumentWorld.aside {
            some.map { device in
                guard let running = device.running else { return [:] }
                let pairs = Self.paths(in: device).map { ($0, running.explainAlone($0)) }
                return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            }
        }
    }
}
