internal import Foundation
internal import Sync
internal import SyncMessages

/// On which devices the last state of an item is, as far as this one can know. Pure.
///
/// 1. This device knows what it has.
/// 2. Who has made the state has had it: that is signed.
/// 3. Who has read the entry that says it knows of it: that is the hub's word. Whether its contents are there, too, nobody
///    says: they may have been evicted, or wait.
struct Whereabouts {
    struct Device {
        var id: DeviceID
        var name: String
    }

    /// What this device has of the item.
    enum Own { case current, placeholder, changed, behind, nothing }

    /// Where the log says it; 0 where the log does not know the item.
    var position: LogPosition
    /// Who has made it; nil for not known.
    var author: DeviceID?
    var this: DeviceID
    var own: Own
    /// All who share the container.
    var devices: [Device]
    var readings: [DeviceID: LogReadings.Reading]

    var standings: [DeviceStanding] {
        let own = devices.filter { $0.id == this }.map { standing(of: $0) }
        guard position > 0 else { return own }
        let others = devices.filter { $0.id != this }.map { standing(of: $0) }
        return own + others.sorted { ($0.standing.rank, $0.name) < ($1.standing.rank, $1.name) }
    }

    private func standing(of device: Device) -> DeviceStanding {
        var result = DeviceStanding(name: device.name, isThis: device.id == this, .unknown)
        if device.id == this {
            result.standing =
                switch own {
                case .current: .current
                case .placeholder: .placeholder
                case .changed: .changed
                case .behind, .nothing: .behind
                }
            return result
        }
        let reading = readings[device.id]
        result.askedSeconds = reading.map { Double($0.asked) }
        if device.id == author {
            result.standing = .made
        } else if let reading {
            result.standing = reading.position >= position ? .read : .behind
        }
        return result
    }

    // MARK: In words

    /// In sentences for a person; none where there is nobody else.
    var sentences: [String] {
        guard devices.count > 1 else { return [] }
        let standings = standings
        func names(_ standing: DeviceStanding.Standing) -> [String] {
            standings.filter { $0.standing == standing }.map { "“\($0.name)”" }
        }
        var sentences: [String] = []
        if own == .changed { sentences.append("What was done to it here is on this device alone.") }
        guard position > 0 else { return sentences }
        let what = own == .changed ? "what the hub has of it" : "it"
        sentences += names(.current).map { "It is on \($0) (this device)." }
        sentences += names(.made).map { "\($0) has made \(what)." }
        let reading = names(.read)
        if !reading.isEmpty {
            sentences.append("Have read of \(what), as the hub says: \(reading.joined(separator: ", ")).")
        }
        let late = standings.filter { $0.standing == .behind && !$0.isThis }.map { device in
            "“\(device.name)” (asked the hub last on \(device.askedText ?? "a day that is not known"))"
        }
        if !late.isEmpty {
            sentences.append("Have not read of \(what): \(late.joined(separator: ", ")).")
        }
        let unknown = names(.unknown)
        if !unknown.isEmpty {
            sentences.append(
                "The hub does not know how far these have read: \(unknown.joined(separator: ", "))."
            )
        }
        return sentences
    }
}

extension DeviceStanding.Standing {
    fileprivate var rank: Int {
        switch self {
        case .current, .placeholder, .changed: 0
        case .made: 1
        case .read: 2
        case .behind: 3
        case .unknown: 4
        }
    }
}

extension DeviceStanding {
    fileprivate var askedText: String? {
        askedSeconds.map { PlainDate.text(Date(timeIntervalSince1970: $0)) }
    }
}
