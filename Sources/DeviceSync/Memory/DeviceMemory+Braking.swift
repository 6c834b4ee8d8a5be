internal import Foundation
internal import Sync

// What an engine remembers of large changes.
extension DeviceMemory {
    private static let brakingKey = "braking"
    private static let lastChangeKey = "last-change"
    private static let changeSecondsKey = "last-change-seconds"
    private static let periodKey = "loss-period-begun"
    /// Questions and answers alone, as they were kept before there was more to keep.
    private static let formerKey = "brakes"

    func recallBraking(into memory: inout SyncMemory) throws {
        if let bytes = try value(Self.brakingKey) {
            memory.braking = try bytes.withUnsafeBytes { bytes in
                var reader = StateReader(bytes)
                return try reader.braking()
            }
        } else {
            let brakes = try value(Self.formerKey) ?? []
            for index in stride(from: 0, to: brakes.count - 1, by: 2) {
                let (direction, stage) = try Self.question(brakes[index], brakes[index + 1])
                memory.braking.stages[direction] = stage
            }
        }
        if let bytes = try value(Self.lastChangeKey), !bytes.isEmpty {
            memory.lastChange = try bytes.withUnsafeBytes { bytes in
                var reader = StateReader(bytes)
                return try reader.largeChange()
            }
        }
        try forEach("SELECT item, periods FROM counted") { item, reader in
            memory.losses[item] = SyncMemory.Loss(
                leaving: try reader.integer(),
                arriving: try reader.integer()
            )
        }
    }

    func rememberBraking(_ all: Changes) throws {
        if let begun = all.period { try set(Self.periodKey, Self.encoded(begun.seconds) + begun.boot) }
        if let seconds = all.changeSeconds { try set(Self.changeSecondsKey, Self.encoded(seconds)) }
        let changes = all.engine
        for (item, loss) in changes.losses.sorted(by: { $0.key < $1.key }) {
            let encode: ((inout StateWriter) -> Void)? = loss.map { loss in
                { writer in
                    writer.integer(loss.leaving)
                    writer.integer(loss.arriving)
                }
            }
            try put("counted", item, encode)
        }
        if let braking = changes.braking {
            var writer = StateWriter()
            writer.braking(braking)
            try set(Self.brakingKey, writer.bytes)
        }
        if let lastChange = changes.lastChange {
            var writer = StateWriter()
            if let lastChange { writer.largeChange(lastChange) }
            try set(Self.lastChangeKey, writer.bytes)
        }
    }

    /// When the last period began by which large changes are counted; nil for none.
    func lossPeriod() throws -> LossPeriods.Beginning? {
        guard let seconds = try seconds(Self.periodKey), let bytes = try value(Self.periodKey) else {
            return nil
        }
        return LossPeriods.Beginning(
            seconds: seconds,
            boot: Array(bytes.dropFirst(MemoryLayout<UInt64>.size))
        )
    }

    /// When a person decided on the last large change, in seconds since 1970.
    func changeSeconds() throws -> Double? { try seconds(Self.changeSecondsKey) }

    private func seconds(_ key: String) throws -> Double? {
        try value(key).map { bytes in
            try bytes.withUnsafeBytes { bytes in
                var reader = StateReader(bytes)
                return Double(bitPattern: try reader.integer())
            }
        }
    }

    private static func encoded(_ seconds: Double) -> [UInt8] {
        var writer = StateWriter()
        writer.integer(seconds.bitPattern)
        return writer.bytes
    }

    fileprivate static func question(
        _ direction: UInt8,
        _ stage: UInt8
    ) throws -> (SyncBrake.Direction, SyncBrake.Stage) {
        guard let direction = SyncBrake.Direction(rawValue: direction),
            let stage = SyncBrake.Stage(rawValue: stage)
        else { throw MalformedMemory(what: "what a person is to be asked about") }
        return (direction, stage)
    }
}

extension StateWriter {
    fileprivate mutating func braking(_ braking: SyncMemory.Braking) {
        integer(UInt8(braking.stages.count))
        for (direction, stage) in braking.stages {
            integer(direction.rawValue)
            integer(stage.rawValue)
        }
        integer(UInt8(braking.points.count))
        for (direction, points) in braking.points {
            integer(direction.rawValue)
            integer(points.period)
            mark(points.former)
            mark(points.current)
        }
    }

    fileprivate mutating func largeChange(_ change: LargeChange) {
        integer(change.restorePoint)
        integer(change.endPoint)
        integer(UInt64(change.items.count))
        for item in change.items.sorted() { self.item(item) }
    }

    private mutating func mark(_ mark: SyncMemory.Points.Mark?) {
        integer(UInt8(mark == nil ? 0 : 1))
        guard let mark else { return }
        integer(mark.position)
        integer(UInt64(mark.itemCount))
    }
}

extension StateReader {
    fileprivate mutating func braking() throws -> SyncMemory.Braking {
        var braking = SyncMemory.Braking()
        for _ in 0..<(try integer(UInt8.self)) {
            let (direction, stage) = try DeviceMemory.question(try integer(), try integer())
            braking.stages[direction] = stage
        }
        for _ in 0..<(try integer(UInt8.self)) {
            guard let direction = SyncBrake.Direction(rawValue: try integer()) else {
                throw MalformedMemory(what: "what counts as a part of a large change")
            }
            braking.points[direction] = SyncMemory.Points(
                period: try integer(),
                former: try mark(),
                current: try mark()
            )
        }
        return braking
    }

    fileprivate mutating func largeChange() throws -> LargeChange {
        var change = LargeChange(items: [], restorePoint: try integer(), endPoint: try integer())
        for _ in 0..<(try integer(UInt64.self)) { change.items.insert(try item()) }
        return change
    }

    private mutating func mark() throws -> SyncMemory.Points.Mark? {
        guard try integer(UInt8.self) == 1 else { return nil }
        let position = try integer(LogPosition.self)
        return SyncMemory.Points.Mark(position: position, itemCount: Int(clamping: try integer(UInt64.self)))
    }
}
