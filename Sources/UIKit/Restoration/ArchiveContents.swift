internal import Foundation

/// What keyed archives hold. Archives of the same objects are not the same bytes: dictionaries, that of an archive's keys among
/// them, are written in an order of their own each time.
struct ArchiveContents {
    /// A key that no app has: an archiver puts another `$` before those that begin with one.
    private static let reference = "$reference"

    private let objects: [Any]
    private let top: [String: Any]

    /// - Returns: Nil for what is no keyed archive.
    private init?(_ archive: Data) {
        guard let list = try? PropertyListSerialization.propertyList(from: archive, format: nil),
            let xml = try? PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        else { return nil }
        // References to objects can be looked into by nobody; in XML they are dictionaries with this key, which no text in it
        // can be taken for, and stay that under another key.
        let text = String(decoding: xml, as: UTF8.self)
            .replacing("<key>CF$UID</key>", with: "<key>\(Self.reference)</key>")
        guard
            let plain = try? PropertyListSerialization.propertyList(from: Data(text.utf8), format: nil),
            let archive = plain as? [String: Any],
            let objects = archive["$objects"] as? [Any], let top = archive["$top"] as? [String: Any]
        else { return nil }
        (self.objects, self.top) = (objects, top)
    }

    /// Whether two archives hold the same. What cannot be read is not known to be.
    ///
    /// - Parameter ignored: What is under this key does not count.
    static func areSame(_ one: Data, _ other: Data, besides ignored: String? = nil) -> Bool {
        if one == other { return true }
        // Bytes are not counted: a reference takes more room the later its object comes.
        guard let contents = ArchiveContents(one), let others = ArchiveContents(other),
            contents.objects.count == others.objects.count
        else { return false }
        var names = Names()
        var (reading, otherReading) = (Reading(contents.objects), Reading(others.objects))
        return reading.names(in: contents.top, besides: ignored, &names)
            == otherReading.names(in: others.top, besides: ignored, &names)
    }

    /// A number for each thing that is not the same as one before: what is in many places is compared once.
    private struct Names {
        private var numbers: [[Data]: Int] = [:]

        mutating func name(_ kind: String, _ parts: [Data]) -> Data {
            let thing = [Data(kind.utf8)] + parts
            let number = numbers[thing] ?? numbers.count
            numbers[thing] = number
            return Data("\(number)".utf8)
        }
    }

    private struct Reading {
        private let objects: [Any]
        private var known: [Int: Data] = [:]
        /// Those that are being read: one that leads back to itself is not read again.
        private var open: [Int] = []

        init(_ objects: [Any]) { self.objects = objects }

        /// By the keys that the archive's owner gave. Beside references, numbers and bytes are values here.
        mutating func names(
            in top: [String: Any],
            besides ignored: String?,
            _ names: inout Names
        ) -> [String: Data] {
            var found: [String: Data] = [:]
            for (key, value) in top where key != ignored { found[key] = name(of: value, &names) }
            return found
        }

        mutating func name(of value: Any, _ names: inout Names) -> Data {
            switch value {
            case let value as [String: Any]:
                if value.count == 1, let number = value[ArchiveContents.reference] as? Int {
                    return name(ofObject: number, &names)
                }
                if let keys = value["NS.keys"] as? [Any], let values = value["NS.objects"] as? [Any] {
                    var pairs: [Data] = []
                    for (key, value) in zip(keys, values) {
                        let parts = [name(of: key, &names), name(of: value, &names)]
                        pairs.append(names.name("pair", parts))
                    }
                    pairs.sort { $0.lexicographicallyPrecedes($1) }
                    return names.name("dictionary", [name(of: value["$class"] ?? "", &names)] + pairs)
                }
                var parts: [Data] = []
                for (key, value) in value.sorted(by: { $0.key < $1.key }) {
                    parts += [Data(key.utf8), name(of: value, &names)]
                }
                return names.name("object", parts)
            case let value as [Any]:
                var parts: [Data] = []
                for value in value { parts.append(name(of: value, &names)) }
                return names.name("array", parts)
            case let value as Data: return names.name("data", [value])
            case let value as String: return names.name("text", [Data(value.utf8)])
            default: return names.name("\(type(of: value))", [Data("\(value)".utf8)])
            }
        }

        private mutating func name(ofObject number: Int, _ names: inout Names) -> Data {
            if let name = known[number] { return name }
            if let place = open.firstIndex(of: number) { return names.name("above", [Data("\(place)".utf8)]) }
            guard objects.indices.contains(number) else { return names.name("nothing", []) }
            open.append(number)
            let name = name(of: objects[number], &names)
            open.removeLast()
            known[number] = name
            return name
        }
    }
}

extension RestorationState {
    /// Whether there is nothing to be kept that the other one does not say.
    func holdsSame(as other: RestorationState) -> Bool {
        folder == other.folder
            && Self.isSame(activity, other.activity) { one, other in
                // What cannot be read is not known to be the same.
                let lists = [one, other].map {
                    try? PropertyListSerialization.propertyList(from: $0, format: nil)
                }
                guard let list = lists[0] as? NSObject, let otherList = lists[1] as? NSObject else {
                    return false
                }
                return list.isEqual(otherList)
            } && Self.isSame(archive, other.archive) { $0.holdsSame(as: $1) }
    }

    private static func isSame<Value: Equatable>(
        _ one: Value?,
        _ other: Value?,
        _ body: (Value, Value) -> Bool
    ) -> Bool {
        if one == other { return true }
        guard let one, let other else { return false }
        return body(one, other)
    }
}

extension ViewArchive {
    /// Whether both hold the same, whenever they were kept.
    fileprivate func holdsSame(as other: ViewArchive) -> Bool {
        objects.count == other.objects.count
            && ArchiveContents.areSame(
                application,
                other.application,
                besides: UIApplication.stateRestorationTimestampKey
            )
            && zip(objects, other.objects).allSatisfy { own, other in
                var same = other
                same.data = own.data
                return same == own && ArchiveContents.areSame(own.data, other.data)
            }
    }
}
