/// Edits of different devices that did not know of each other, and of which one counts. None is lost: each is here
/// until an edit that has seen them all takes their place.
public struct ChangeConflict: Hashable, Sendable {
    /// What is in conflict.
    public enum Kind: Hashable, Sendable {
        /// A property was set to different values: from the oldest to the latest, which counts.
        case values(property: String, [Side])
        /// The object was edited by those who did not know that it was deleted. It is still there.
        case deletionLost([Side])
        /// The object was deleted by those who did not know that it was edited. It is gone.
        case editsLost([Side], properties: [String: ChangeValue])
    }

    /// One device's part.
    public struct Side: Hashable, Sendable {
        /// Who.
        public let device: DeviceID
        /// When.
        public let time: HybridTime
        /// The value; `none` for a deletion, or an edit of an object that was deleted.
        public let value: ChangeValue
    }

    /// The name of the object's type.
    public let objectType: String
    /// Which object of its type.
    public let objectID: String
    /// What is in conflict.
    public let kind: Kind
}

extension Replica {
    /// What is in conflict, by type, id and property. Costs a look at every object.
    public var conflicts: [ChangeConflict] {
        contents.objects.indices.flatMap(conflicts).sorted { left, right in
            (left.objectType, left.objectID, left.place) < (right.objectType, right.objectID, right.place)
        }
    }

    private func conflicts(of object: Int) -> [ChangeConflict] {
        let stored = contents.objects[object]
        var kinds: [ChangeConflict.Kind] = []
        let isAlive = contents.isAlive(object, deletionRule(of: object))
        if isAlive, stored.deletions >= 0 {
            kinds.append(.deletionLost(sides(contents.marks.list(from: stored.deletions))))
        }
        if !isAlive, contents.hasUncoveredEdit(stored) {
            let edits = contents.marks.list(from: stored.edits).filter { !$0.isCovered }
            kinds.append(.editsLost(sides(edits), properties: allProperties(of: object)))
        }
        if isAlive { contents.forEachRegister(of: object) { kinds += rivals($0) } }
        guard !kinds.isEmpty else { return [] }
        let type = contents.names[Int(contents.objectNames.salt(of: object))]
        let id = contents.objectNames[object]
        return kinds.map { ChangeConflict(objectType: type, objectID: id, kind: $0) }
    }

    private func allProperties(of object: Int) -> [String: ChangeValue] {
        var properties: [String: ChangeValue] = [:]
        contents.forEachRegister(of: object) { register in
            properties[contents.names[Int(contents.registers[register].property)]] = contents.value(register)
        }
        return properties
    }

    private func rivals(_ register: Int) -> [ChangeConflict.Kind] {
        let rivals = contents.rivals(register)
        guard !rivals.isEmpty else { return [] }
        let sides = rivals.map { entry in
            ChangeConflict.Side(
                device: contents.device(entry),
                time: HybridTime(bits: entry.time),
                value: entry.value
            )
        }
        return [.values(property: contents.names[Int(contents.registers[register].property)], sides)]
    }

    private func sides(_ marks: [Mark]) -> [ChangeConflict.Side] {
        let sides = marks.map { mark in
            ChangeConflict.Side(
                device: contents.matrix.devices[Int(mark.device)],
                time: HybridTime(bits: mark.time),
                value: .none
            )
        }
        return sides.sorted { ($0.time, $0.device) < ($1.time, $1.device) }
    }
}

extension ChangeConflict {
    fileprivate var place: String {
        if case .values(let property, _) = kind { property } else { "" }
    }
}
