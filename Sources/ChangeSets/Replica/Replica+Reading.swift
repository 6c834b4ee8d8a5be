extension Replica {
    /// Whether an object is there.
    public func contains(_ type: String, _ id: String) -> Bool {
        guard let object = contents.findObject(type, id) else { return false }
        return contents.isAlive(object, deletionRule(of: object))
    }

    /// An object's properties by name; nil when there is no such object.
    public func object(_ type: String, _ id: String) -> [String: ChangeValue]? {
        guard let object = contents.findObject(type, id), contents.isAlive(object, deletionRule(of: object))
        else { return nil }
        return properties(of: object)
    }

    /// Calls with every object of a type: its id, and its properties by name. In no order.
    public func forEachObject(
        ofType type: String,
        _ body: (_ id: String, _ properties: [String: ChangeValue]) throws -> Void
    ) rethrows {
        guard let type = contents.names.index(of: type) else { return }
        for object in contents.objects.indices where contents.objectNames.salt(of: object) == type {
            guard contents.isAlive(object, deletionRule(of: object)) else { continue }
            try body(contents.objectNames[object], properties(of: object))
        }
    }

    /// One property of all objects of a type, by the objects' ids.
    ///
    /// What has no such property is left out.
    public func values(of property: String, ofType type: String) -> [String: ChangeValue] {
        guard let type = contents.names.index(of: type), let property = contents.names.index(of: property)
        else { return [:] }
        var values: [String: ChangeValue] = [:]
        values.reserveCapacity(contents.objects.count)
        for number in contents.registers.indices where contents.registers[number].property == property {
            let object = Int(contents.registers[number].object)
            guard contents.objectNames.salt(of: object) == type,
                contents.isAlive(object, deletionRule(of: object)), let value = contents.value(number)
            else { continue }
            values[contents.objectNames[object]] = value
        }
        return values
    }

    /// What a property holds; nil when it holds nothing, or there is no such object.
    public func value(of property: String, _ type: String, _ id: String) -> ChangeValue? {
        register(of: property, type, id).flatMap(contents.value)
    }

    /// What a property holds by an app's own rule.
    ///
    /// - Parameters:
    ///   - property: Its name.
    ///   - type: The object's type.
    ///   - id: The object's id.
    ///   - merge: Is given the values that were set without knowledge of each other, from the oldest to the latest,
    ///     each once a device, and answers what counts. It must answer the same on every device. It is not asked
    ///     where there is one value only.
    public func value(
        of property: String,
        _ type: String,
        _ id: String,
        merging merge: (_ values: [ChangeValue]) -> ChangeValue
    ) -> ChangeValue? {
        guard let register = register(of: property, type, id) else { return nil }
        let rivals = contents.rivals(register)
        return rivals.isEmpty ? contents.value(register) : merge(rivals.map(\.value))
    }

    private func register(of property: String, _ type: String, _ id: String) -> Int? {
        guard let property = contents.names.index(of: property), let object = contents.findObject(type, id),
            contents.isAlive(object, deletionRule(of: object))
        else { return nil }
        return contents.findRegister(Int32(object), Int32(property))
    }

    private func properties(of object: Int) -> [String: ChangeValue] {
        var properties: [String: ChangeValue] = [:]
        contents.forEachRegister(of: object) { register in
            let name = contents.names[Int(contents.registers[register].property)]
            properties[name] = contents.value(register)
        }
        return properties
    }

    /// The change that makes a text another one and goes together with what others write into it meanwhile: all
    /// between what is the same at both ends is taken away and put in.
    ///
    /// - Returns: An edit for ``record(_:_:_:_:at:)``, to be recorded before any other; nil when the text is that
    ///   already. What such an edit has begun stays a text: values that are set as a whole no longer show. One of more
    ///   than 2^24 scalars is not recorded.
    public func splice(
        of property: String,
        _ type: String,
        _ id: String,
        to text: String
    ) -> PropertyChange.Edit? {
        let woven = storedText(of: property, ObjectReference(type: type, id: id)) ?? WovenText()
        return woven.splice(to: text, contents.matrix.devices).map { .splice($0) }
    }

    /// The change that a new object's text begins with; nil for an empty one. One of more than 2^24 scalars is not
    /// recorded.
    public static func splice(of text: String) -> PropertyChange.Edit? {
        WovenText().splice(to: text, []).map { .splice($0) }
    }

    /// A text's change for this device's next change set, in as many edits as it takes when none is to put in or take away
    /// more than so many scalars.
    func parts(of edit: PropertyChange.Edit?, ofAtMost countMax: Int) -> [PropertyChange.Edit] {
        guard case .splice(let splice)? = edit else { return [] }
        let sequence = contents.matrix.applied[own] + 1
        return splice.parts(ofAtMost: countMax, by: device, sequence).map { .splice($0) }
    }

    private func storedText(of property: String, _ reference: ObjectReference) -> WovenText? {
        guard let property = contents.names.index(of: property),
            let object = contents.findObject(reference.type, reference.id)
        else { return nil }
        return contents.findRegister(Int32(object), Int32(property)).flatMap { contents.texts[Int32($0)] }
    }
}
