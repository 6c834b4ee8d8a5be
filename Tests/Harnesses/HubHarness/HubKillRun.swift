package import CrashHarness
internal import FileSystem
internal import Foundation
internal import HTTPService
internal import Hub
internal import HubProtocol

/// Kills a process before every write that a hub's stores make, and opens what it left.
package struct HubKillRun: Sendable {
    /// The executable whose `child` command tells the story.
    package var executable: String
    /// Only every so many writes are tried.
    package var stride = 1
    /// Whether the child promises what does not hold yet.
    package var promisesTooEarly = false

    package init(executable: String) { self.executable = executable }

    private static let writeCountMax = 5000

    package func run() async throws -> HarnessReport {
        var report = HarnessReport(title: "hub-kill")
        report.scenarioCount = 1
        for number in Swift.stride(from: 1, through: Self.writeCountMax, by: stride) {
            report.stateCount += 1
            if try await runOnce(number, &report) { return report }
        }
        report.lost.append("the story did not end within \(Self.writeCountMax) writes")
        return report
    }

    /// - Returns: Whether the story came to its end.
    private func runOnce(_ number: Int, _ report: inout HarnessReport) async throws -> Bool {
        let scratch = try ScratchFolder(in: ScratchFolder.memoryDisk)
        let child = Process()
        child.executableURL = URL(fileURLWithPath: executable)
        child.arguments =
            ["child", scratch.path.string, String(number)]
            + (promisesTooEarly ? [HubStory.Early.all.rawValue] : [])
        let said = Pipe()
        child.standardOutput = said
        try child.run()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        child.waitUntilExit()
        let isDone = child.terminationReason == .exit
        if isDone, child.terminationStatus != 0 {
            report.lost.append("the child failed with \(child.terminationStatus)")
            return true
        }
        let promises = text.split(separator: "\n").compactMap { HubStory.Promise(line: String($0)) }
        do {
            for complaint in try await HubCheck(in: scratch.path.string).complaints(promises) {
                report.lost.append("before write \(number): \(complaint)")
            }
        } catch {
            report.lost.append("before write \(number): it cannot be opened: \(error)")
        }
        return isDone
    }
}

/// Looks whether a hub's folder holds what was promised.
struct HubCheck {
    private let records: SQLiteRecordStore
    private let blobs: SegmentedBlobStore

    init(in folder: String) throws {
        let place = try StorageFolder(at: FilePath(folder))
        records = try SQLiteRecordStore(in: place)
        blobs = try SegmentedBlobStore(in: place, uptime: LeapingClock.make())
    }

    func complaints(_ promises: [HubStory.Promise]) async throws -> [String] {
        var complaints = try await complaintsOfDevices(promises)
        guard promises.contains(.container) else { return complaints }
        guard let head = records.head(of: HubStory.container, for: .first) else {
            return complaints + ["no container"]
        }
        let (positions, chained) = try await log()
        if chained != head { complaints.append("the chain comes to \(chained), not \(head)") }
        var uploaded = 0
        for promise in promises {
            switch promise {
            case .container, .device, .keys: break
            case .commit(let id, let position):
                if positions[id] != position { complaints.append("commit \(id) is not at \(position)") }
            case .blob(let number):
                if try await !isThere(number) { complaints.append("blob \(number) is not there") }
            case .upload(let byteCount): uploaded = max(uploaded, byteCount)
            case .revoked:
                let token = HubStory.device(HubStory.shutOut).tokenHash
                if records.caller(tokenHash: token) != nil { complaints.append("not revoked") }
            }
        }
        if let complaint = try await upload(atLeast: uploaded) { complaints.append(complaint) }
        for number in HubStory.deleted {
            let found = try await bytes(of: HubStory.blobName(number))
            if let found, found != HubStory.blob(number) {
                complaints.append("blob \(number) is another one")
            }
        }
        complaints += try await complaintsOfKeys(promises)
        complaints += try await complaintsOfReadings(head)
        return complaints + (try await goingOn(after: head))
    }

    /// Who asks: a device that has read the log.
    private var caller: HubCaller {
        HubCaller(device: HubStory.deviceName(HubStory.author), account: .first)
    }

    /// Whether registered devices are there, with all that was told of them, and their invitations used up.
    private func complaintsOfDevices(_ promises: [HubStory.Promise]) async throws -> [String] {
        var complaints: [String] = []
        let listings = try await records.devices(for: caller)
        for promise in promises {
            guard case .device(let number) = promise else { continue }
            let device = HubStory.device(number)
            guard let found = listings.first(where: { $0.device == device.device }) else {
                complaints.append("device \(number) is not registered")
                continue
            }
            if found.name != device.name || found.signingKey != device.signingKey
                || found.agreementKey != device.agreementKey || found.registered != HubStory.registered
            {
                complaints.append("device \(number) is another one")
            }
            let caller = HubCaller(device: device.device, account: .first)
            // That it is refused may be durable before it is promised.
            let isShutOut = number == HubStory.shutOut && records.isRevoked(tokenHash: device.tokenHash)
            if !isShutOut, records.caller(tokenHash: device.tokenHash) != caller {
                complaints.append("device \(number) is not known by its token")
            }
            let account = try await records.register(
                HubStory.device(100 + number),
                invitationHash: HubStory.invitation(number),
                now: HubStory.registered
            )
            if account != nil { complaints.append("the invitation of device \(number) works again") }
        }
        return complaints
    }

    /// Whether wrapped keys are there, and all that are there what they are to be.
    private func complaintsOfKeys(_ promises: [HubStory.Promise]) async throws -> [String] {
        var (complaints, promised): ([String], [Int: Set<Int>]) = ([], [:])
        for promise in promises {
            if case .keys(let generation, let device) = promise {
                promised[device, default: []].insert(generation)
            }
        }
        for (device, generations) in promised.sorted(by: { $0.key < $1.key }) {
            let name = HubStory.deviceName(device)
            let found = try await records.keys(for: name, in: HubStory.container).generations
            for generation in generations.subtracting(found.map { Int($0.generation) }).sorted() {
                complaints.append("keys \(generation) for device \(device) are not there")
            }
            for keys in found where keys != HubStory.keys(Int(keys.generation), for: device) {
                complaints.append("keys \(keys.generation) for device \(device) are others")
            }
        }
        return complaints
    }

    /// Nothing is promised of who has read what, but that nobody has read what is not there.
    private func complaintsOfReadings(_ head: LogHead) async throws -> [String] {
        var complaints: [String] = []
        for device in try await records.devices(for: caller) {
            for place in device.reads ?? [] where place.position > head.position {
                complaints.append("“\(device.name)” has read to \(place.position) of \(head.position)")
            }
        }
        return complaints
    }

    private func log() async throws -> ([String: UInt64], LogHead) {
        var (positions, chain) = ([String: UInt64](), try LogChain(of: HubStory.container))
        while true {
            let page = try await records.page(of: HubStory.container, after: chain.head.position, limit: 5)
            for entry in page.entries {
                guard try chain.append(entry) else { return (positions, chain.head) }
                positions[entry.id.text] = entry.position
            }
            if page.entries.isEmpty { return (positions, chain.head) }
        }
    }

    private func isThere(_ number: Int) async throws -> Bool {
        try await bytes(of: HubStory.blobName(number)) == HubStory.blob(number)
    }

    private func bytes(of name: BlobName) async throws -> [UInt8]? {
        switch try await blobs.body(of: name, of: HubStory.owner) {
        case .bytes(let data): Array(data)
        case .parts(let byteCount, let make): Self.bytes(of: make(0..<byteCount), Int(byteCount))
        default: nil
        }
    }

    /// - Returns: Fewer than so many where they cannot be read.
    private static func bytes(of source: any HTTPBodySource, _ byteCount: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, filledCount in
            while filledCount < byteCount {
                let rest = UnsafeMutableRawBufferPointer(
                    rebasing: UnsafeMutableRawBufferPointer(buffer)[filledCount...]
                )
                let count = source.read(into: rest)
                if count == 0 { return }
                filledCount += count
            }
        }
    }

    /// Goes on with an upload from where it is.
    private func upload(atLeast byteCount: Int) async throws -> String? {
        let (name, owner) = (HubStory.uploadName, HubStory.owner)
        let whole = Array(HubStory.blob(999).prefix(HubStory.uploadByteCount))
        if try await bytes(of: name) == nil {
            let offset = await blobs.uploadOffset(of: name, of: owner) ?? 0
            guard offset >= byteCount else { return "the upload is at \(offset), not \(byteCount)" }
            let range = PieceRange(first: offset, byteCount: whole.count - offset, total: whole.count)
            let piece = try blobs.beginPiece(name, of: owner, range)
            try whole[offset...].withUnsafeBytes { try piece.append($0) }
            _ = try await piece.commit()
        }
        return try await bytes(of: name) == whole ? nil : "the upload is another blob"
    }

    /// Whether a hub that was killed works again.
    private func goingOn(after head: LogHead) async throws -> [String] {
        var complaints: [String] = []
        let caller = HubCaller(device: HubStory.deviceName(HubStory.author), account: .first)
        let commit = try HubStory.commit(5000)
        let answers = try await records.commit(
            [commit],
            to: HubStory.container,
            by: caller,
            byteCountMax: 1 << 30
        )
        if answers.answers != [.accepted(head.position + 1)] { complaints.append("no commit is taken") }
        let batch = try blobs.begin(for: HubStory.owner)
        try batch.begin(HubStory.blobName(500), byteCount: HubStory.blob(500).count)
        try HubStory.blob(500).withUnsafeBytes { try batch.append($0) }
        _ = try await batch.commit()
        if try await !isThere(500) { complaints.append("no blob is taken") }
        let isTaken = try await records.putKeys(
            HubStory.keys(500, for: HubStory.author),
            for: caller.device,
            in: HubStory.container,
            by: caller,
            byteCountMax: 1 << 30
        )
        if !isTaken { complaints.append("no keys are taken") }
        return complaints
    }
}
