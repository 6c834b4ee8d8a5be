public import Foundation

/// Keeps an app's model objects and a replica the same: what the app sets is recorded, what other devices changed is
/// set.
///
/// State lives on whatever executor the app's model lives on; nothing here is sendable. Properties that were set are
/// recorded together, one change set an object, by ``record()``, which everything that reads or changes the replica
/// calls first.
public final class ChangeRecorder {
    private struct Tracked {
        let object: any ChangeTrackedObject
        let properties: [(name: String, property: any TrackedProperty)]
    }

    private var replica: Replica
    private let milliseconds: () -> UInt64
    private var types: [String: any ChangeTrackedObject.Type] = [:]
    private var tracked: [Replica.ObjectReference: Tracked] = [:]
    private var references: [ObjectIdentifier: Replica.ObjectReference] = [:]
    private var changed = ChangedObjects<Replica.ObjectReference>()
    /// How many scalars one edit of a text has at most: what is pasted may be longer, and is recorded in several. Less than
    /// readers take only where that is tried out.
    var spliceCountMax = ChangeLimits.spliceCountMax

    /// - Parameters:
    ///   - replica: The data.
    ///   - types: The model's classes; objects of other types stay in the replica.
    ///   - milliseconds: The wall clock's, since 1970.
    public init(
        _ replica: Replica,
        types: [any ChangeTrackedObject.Type],
        milliseconds: @escaping () -> UInt64 = { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }
    ) {
        self.replica = replica
        self.milliseconds = milliseconds
        for type in types {
            self.types[type.changeType] = type
            replica.forEachObject(ofType: type.changeType) { id, _ in
                refresh(Replica.ObjectReference(type: type.changeType, id: id))
            }
        }
    }

    /// All objects of a class, by their ids.
    public func objects<Object: ChangeTrackedObject>(_ type: Object.Type) -> [String: Object] {
        var objects: [String: Object] = [:]
        for (reference, tracked) in tracked where reference.type == type.changeType {
            objects[reference.id] = tracked.object as? Object
        }
        return objects
    }

    /// The id of an object; nil when it was not inserted, or was deleted.
    public func id(of object: any ChangeTrackedObject) -> String? { references[ObjectIdentifier(object)]?.id }

    /// Records an object as added, and from then on what is set in it.
    ///
    /// - Parameters:
    ///   - object: One that is not in yet.
    ///   - id: Random unless said otherwise. An object of this id that is there already is replaced.
    /// - Throws: `beyondLimit`. The object is not in then.
    public func insert(_ object: some ChangeTrackedObject, id: String = UUID().uuidString) throws {
        try record()
        let reference = Replica.ObjectReference(type: type(of: object).changeType, id: id)
        let properties = Self.properties(of: object)
        let changes = properties.flatMap { name, property in
            firstEdits(of: name, property, reference).map { PropertyChange(name, $0) }
        }
        try replica.record(.add, reference.type, id, changes, at: milliseconds())
        drop(reference)
        track(object, properties, reference)
    }

    /// Records an object as deleted. What is set in it afterwards is recorded nowhere.
    ///
    /// - Throws: `objectMissing` when it is not in.
    public func delete(_ object: some ChangeTrackedObject) throws {
        try record()
        guard let reference = references[ObjectIdentifier(object)] else {
            throw ChangeSetError.objectMissing(type(of: object).changeType, "that was given")
        }
        try replica.record(.delete, reference.type, reference.id, at: milliseconds())
        drop(reference)
    }

    /// Records what was set since the last time.
    ///
    /// - Throws: `beyondLimit`, for a value with too many lists in each other say. What comes before it is recorded; it
    ///   and what comes after is tried again the next time.
    public func record() throws {
        while let change = changed.takeFirst() {
            do { try record(change) } catch {
                changed.putBack(change)
                throw error
            }
        }
    }

    private func record(_ change: ChangedObjects<Replica.ObjectReference>.Change) throws {
        let (reference, names) = change
        guard let tracked = tracked[reference] else { return }
        let changes = tracked.properties.filter { names.contains($0.name) }.flatMap { name, property in
            edits(of: name, property, reference).map { PropertyChange(name, $0) }
        }
        guard !changes.isEmpty else { return }
        try replica.record(.modify, reference.type, reference.id, changes, at: milliseconds())
    }

    private func edits(
        of name: String,
        _ property: any TrackedProperty,
        _ reference: Replica.ObjectReference
    ) -> [PropertyChange.Edit] {
        if case .text = property.rule, case .text(let text) = property.current {
            let edit = replica.splice(of: name, reference.type, reference.id, to: text)
            return replica.parts(of: edit, ofAtMost: spliceCountMax)
        }
        return property.rule.edits(from: shown(name, property, reference), to: property.current)
    }

    /// What a property shows of what the replica has of it; nil where that is nothing.
    private func shown(
        _ name: String,
        _ property: any TrackedProperty,
        _ reference: Replica.ObjectReference
    ) -> ChangeValue? {
        guard case .merged(let merge) = property.rule else {
            return replica.value(of: name, reference.type, reference.id)
        }
        return replica.value(of: name, reference.type, reference.id, merging: merge)
    }

    /// What a new object begins with. A counter goes on from where one of the same id was.
    private func firstEdits(
        of name: String,
        _ property: any TrackedProperty,
        _ reference: Replica.ObjectReference
    ) -> [PropertyChange.Edit] {
        switch (property.rule, property.current) {
        case (.text, .text(let text)):
            replica.parts(of: Replica.splice(of: text), ofAtMost: spliceCountMax)
        case (.counter, let value):
            property.rule.edits(from: replica.storedValue(of: name, reference), to: value)
        case (_, let value): property.rule.edits(from: nil, to: value)
        }
    }

    /// Does something with the replica, once all that was set is recorded; the objects then follow what it changed.
    ///
    ///     let forOthers = try recorder.withReplica { $0.encodedChanges(since: theirVector) }
    ///     try recorder.withReplica { try $0.apply(theirs) }
    ///
    /// - Parameter body: May do anything with the replica but put another one in its place.
    @discardableResult
    public func withReplica<Result>(_ body: (inout Replica) throws -> Result) throws -> Result {
        try record()
        let before = replica.vector
        defer { if replica.vector != before { refreshAll() } }
        return try body(&replica)
    }

    private func refreshAll() {
        for reference in tracked.keys { refresh(reference) }
        for type in types.keys {
            replica.forEachObject(ofType: type) { id, _ in
                let reference = Replica.ObjectReference(type: type, id: id)
                if tracked[reference] == nil { refresh(reference) }
            }
        }
    }

    /// Makes an object what the replica has of it; makes it, or drops it.
    private func refresh(_ reference: Replica.ObjectReference) {
        guard replica.contains(reference.type, reference.id) else { return drop(reference) }
        if tracked[reference] == nil, let type = types[reference.type] {
            let object = type.init()
            track(object, Self.properties(of: object), reference)
        }
        for (name, property) in tracked[reference]?.properties ?? [] {
            property.take(shown(name, property, reference))
        }
    }

    private func track(
        _ object: any ChangeTrackedObject,
        _ properties: [(name: String, property: any TrackedProperty)],
        _ reference: Replica.ObjectReference
    ) {
        tracked[reference] = Tracked(object: object, properties: properties)
        references[ObjectIdentifier(object)] = reference
        for (name, property) in properties {
            property.watch { [weak self] in self?.changed.note(name, of: reference) }
        }
    }

    private func drop(_ reference: Replica.ObjectReference) {
        guard let gone = tracked.removeValue(forKey: reference) else { return }
        references[ObjectIdentifier(gone.object)] = nil
        for (_, property) in gone.properties { property.watch(nil) }
    }

    /// The tracked properties of an object, those of its superclasses first, by their names in the source.
    private static func properties(
        of object: any ChangeTrackedObject
    ) -> [(name: String, property: any TrackedProperty)] {
        var mirrors: [Mirror] = []
        var next: Mirror? = Mirror(reflecting: object)
        while let mirror = next {
            mirrors.append(mirror)
            next = mirror.superclassMirror
        }
        return mirrors.reversed().flatMap { mirror in
            mirror.children.compactMap { label, value in
                guard let label, let property = value as? any TrackedProperty else { return nil }
                // A wrapped property's storage has its name behind an underscore.
                return (String(label.drop { $0 == "_" }), property)
            }
        }
    }
}

extension Replica {
    /// What a property holds, be the object there or not.
    func storedValue(of property: String, _ reference: ObjectReference) -> ChangeValue? {
        guard let property = contents.names.index(of: property),
            let object = contents.findObject(reference.type, reference.id),
            let register = contents.findRegister(Int32(object), Int32(property))
        else { return nil }
        return contents.value(register)
    }
}
