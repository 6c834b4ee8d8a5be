import Cryptography
import Foundation
import HubProtocol
import Sealing
import Sync

/// What sealing costs, without a hub: blobs in pieces as a vault has them, and commits as a device sends and reads them.
enum SealingBenchmark {
    private static let runs = 15
    private static let commitCount = 1000

    static func run(in work: WorkFolder) throws -> [Figure] {
        let phone = try DeviceIdentity(random: RandomBytes.make)
        let container = ContainerName(unchecked: try RandomBytes.make(ContainerName.byteCount))
        let founding = try DeviceStatement.founding(container, by: phone, named: "phone")
        let keys = try ContainerKeys(newFor: container, anchor: founding.hash(), random: RandomBytes.make)
        return try [(64 << 10, 64 << 20), (4 << 10, 16 << 20)].flatMap { piece, all in
            try blobs(keys, piece, all)
        } + records(keys, phone, founding)
    }

    private static func blobs(_ keys: ContainerKeys, _ piece: Int, _ all: Int) throws -> [Figure] {
        let sealer = try BlobSealer(keys, sealingUnder: keys.newest.generation)
        let plain = try RandomBytes.make(all)
        let names = try (0..<all / piece).map { _ in try RandomBytes.make(BlobFormat.nameByteCount) }
        let step = piece + BlobFormat.overheadByteCount
        var sealed = [UInt8](repeating: 0, count: names.count * step)
        var opened = [UInt8](repeating: 0, count: all)
        var (plainTimes, pressedTimes, openTimes, addressTimes) = (Samples(), Samples(), Samples(), Samples())
        for _ in 0..<runs {
            // Last as they are, so that this is what is opened.
            for encoding in [BlobContents.Encoding.zstd, .plain] {
                let elapsed = try seconds {
                    try seal(sealer, plain, names, piece, encoding, &sealed)
                }
                if encoding == .plain { plainTimes.add(elapsed) } else { pressedTimes.add(elapsed) }
            }
            openTimes.add(try seconds { try open(sealer, sealed, names, piece, &opened) })
            guard opened == plain else { throw BenchmarkFailure("blobs were not opened as they were sealed") }
            addressTimes.add(try seconds { for name in names { _ = try sealer.address(of: name) } })
        }
        let what = "\(all >> 20) MiB of blobs of \(piece >> 10) KiB, one core"
        let id = "sealing-\(piece >> 10)k"
        // A gigabyte a second.
        let goal = piece == 64 << 10 ? Figure.Goal.valueAtMost((Double(all) / 1e6).rounded()) : nil
        return [
            Figure("\(id)-seal", "sealing \(what)", plainTimes, .milliseconds, goal: goal),
            Figure("\(id)-seal-pressed", "sealing \(what), pressed together", pressedTimes, .milliseconds),
            Figure("\(id)-open", "opening \(what)", openTimes, .milliseconds, goal: goal),
            Figure("\(id)-names", "the hub's names of \(names.count) blobs", addressTimes, .milliseconds),
        ]
    }

    private static func seal(
        _ sealer: BlobSealer,
        _ plain: [UInt8],
        _ names: [[UInt8]],
        _ piece: Int,
        _ encoding: BlobContents.Encoding,
        _ sealed: inout [UInt8]
    ) throws {
        let step = piece + BlobFormat.overheadByteCount
        try plain.withUnsafeBytes { plain in
            try sealed.withUnsafeMutableBytes { sealed in
                for (index, name) in names.enumerated() {
                    let stored = UnsafeRawBufferPointer(rebasing: plain[index * piece..<(index + 1) * piece])
                    let place = UnsafeMutableRawBufferPointer(
                        rebasing: sealed[index * step..<(index + 1) * step]
                    )
                    try name.withUnsafeBytes { name in
                        try sealer.seal(
                            stored,
                            encoding,
                            plainByteCount: piece,
                            kind: 1,
                            name: name,
                            into: place
                        )
                    }
                }
            }
        }
    }

    private static func open(
        _ sealer: BlobSealer,
        _ sealed: [UInt8],
        _ names: [[UInt8]],
        _ piece: Int,
        _ opened: inout [UInt8]
    ) throws {
        let step = piece + BlobFormat.overheadByteCount
        try sealed.withUnsafeBytes { sealed in
            try opened.withUnsafeMutableBytes { opened in
                for (index, name) in names.enumerated() {
                    let blob = UnsafeRawBufferPointer(rebasing: sealed[index * step..<(index + 1) * step])
                    let place = UnsafeMutableRawBufferPointer(
                        rebasing: opened[index * piece..<(index + 1) * piece]
                    )
                    try name.withUnsafeBytes { name in
                        _ = try sealer.open(blob, kind: 1, name: name, into: place)
                    }
                }
            }
        }
    }

    private static func records(
        _ keys: ContainerKeys,
        _ phone: DeviceIdentity,
        _ founding: DeviceStatement
    ) throws -> [Figure] {
        var list = DeviceList(for: keys)
        try list.apply(founding, at: 0)
        let sealer = try RecordSealer(keys, list, by: phone)
        let start = try LogChain(of: keys.container).head
        let commits = (0..<commitCount).map { number in
            let state = ItemState(
                .document,
                at: ItemPlace(.root, "Document \(number).txt"),
                content: ContentName(String(repeating: "0123456789abcdef", count: 4))
            )
            let id = Commit.ID(phone.id, session: 1, UInt64(number))
            return OpenRecord(Commit(id, ItemID(1, UInt64(number)), on: 0, state), seen: start)
        }
        var (together, read, alone) = (Samples(), Samples(), Samples())
        var byteCount = 0
        for _ in 0..<runs {
            var sealed: [SealedCommit] = []
            together.add(try seconds { sealed = try sealer.seal(commits) })
            byteCount = sealed.reduce(0) { $0 + $1.record.count } / sealed.count
            let page = try page(of: sealed, after: start)
            let reader = try LogReader(keys, LogWatch(of: keys.container), list)
            var reading = LogReading()
            read.add(try seconds { reading = try reader.read(page) { _ in 0 } })
            guard reading.finding == nil, reading.entries.count == commitCount else {
                throw BenchmarkFailure("a log was not read: \(reading.finding?.description ?? "too short")")
            }
            alone.add(
                try seconds { for commit in commits.prefix(100) { _ = try sealer.seal([commit]) } } / 100
            )
        }
        var one = Samples()
        for _ in 0..<runs {
            let page = try page(of: commits.prefix(100).flatMap { try sealer.seal([$0]) }, after: start)
            let reader = try LogReader(keys, LogWatch(of: keys.container), list)
            one.add(try seconds { _ = try reader.read(page) { _ in 0 } } / 100)
        }
        let what = "\(commitCount) commits in one message, records of \(byteCount) bytes"
        return [
            Figure("sealing-commits", "sealing and signing \(what)", together, .milliseconds),
            Figure("sealing-log", "reading and checking \(what)", read, .milliseconds),
            Figure("sealing-commit-alone", "sealing and signing one commit", alone, .microseconds),
            Figure("sealing-log-alone", "reading and checking one commit", one, .microseconds),
        ]
    }

    private static func page(of commits: [SealedCommit], after start: LogHead) throws -> LogPage {
        var chain = LogChain(at: start)
        let entries = try commits.map { commit in
            let record = Data(commit.record)
            let head = try chain.append(item: commit.item, base: commit.base, id: commit.id, record: record)
            return LogRecord(
                position: head.position,
                item: commit.item,
                base: commit.base,
                id: commit.id,
                record: record,
                device: DeviceName(unchecked: [UInt8](repeating: 0, count: DeviceName.byteCount)),
                hash: head.hash
            )
        }
        return LogPage(entries, head: chain.head)
    }
}
