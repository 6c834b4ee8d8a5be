/// The data: all objects, and what each device has seen. Has no owner, no clock and no log.
///
/// 1. What a property holds are the edits that no later one has seen; so it is for edits and deletions of objects.
/// 2. Changes come in an order in which none comes before one that it has seen.
/// 3. So the contents depend on which changes were applied, and on nothing else.
struct Contents: Sendable {
    var matrix = SeenMatrix()
    /// Names of types and properties.
    var names = NameTable()
    /// Names of objects, each under its type's number; an object has its name's number.
    var objectNames = NameTable()
    var objects: [StoredObject] = []
    var registers: [Register] = []
    var registerTable = RegisterTable()
    var marks = Chains<Mark>()
    var entries = Chains<Entry>()
    /// Texts that several write, by register.
    var texts: [Int32: WovenText] = [:]

    static let noMark = Mark(time: 0, sequence: 0, device: 0)
    static let noEntry = Entry(time: 0, sequence: 0, value: .none, kind: .set, device: 0)

    mutating func reserve(changes: Int, edits: Int) {
        objectNames.reserve(objectNames.count + changes)
        objects.reserveCapacity(objects.count + changes)
        marks.reserve(marks.elements.count + changes)
        registers.reserveCapacity(registers.count + edits)
        entries.reserve(entries.elements.count + edits)
    }

    /// The object under the number that its name has just been given.
    mutating func makeObject(_ number: Int) {
        if number == objects.count { objects.append(StoredObject()) }
    }

    /// A property's register; a new one when the object had none of that name.
    mutating func register(_ object: Int32, _ property: Int32) -> Int {
        if let found = findRegister(object, property) { return found }
        let number = Int32(registers.count)
        let first = objects[Int(object)].registers
        // The first stays the first: it is found without the table.
        registers.append(
            Register(object: object, property: property, next: first < 0 ? -1 : registers[Int(first)].next)
        )
        if first < 0 {
            objects[Int(object)].registers = number
        } else {
            registers[Int(first)].next = number
            registerTable.insert(number, of: registers)
        }
        return Int(number)
    }

    func findRegister(_ object: Int32, _ property: Int32) -> Int? {
        let first = objects[Int(object)].registers
        guard first >= 0 else { return nil }
        if registers[Int(first)].property == property { return Int(first) }
        guard registers[Int(first)].next >= 0 else { return nil }
        let found = registerTable.find(object, property, in: registers)
        return found < 0 ? nil : Int(found)
    }

    /// Whether a property holds nothing, and has nothing to remember.
    func isEmpty(_ register: Int) -> Bool { registers[register].entries < 0 && texts[Int32(register)] == nil }

    func findObject(_ type: String, _ id: String) -> Int? {
        guard let type = names.index(of: type) else { return nil }
        return objectNames.index(of: id, salt: Int32(type))
    }

    /// An object's properties, in no order: for what may throw.
    func registers(of object: Int) -> [Int] {
        var numbers: [Int] = []
        forEachRegister(of: object) { numbers.append($0) }
        return numbers
    }

    /// An object's properties, in no order.
    func forEachRegister(of object: Int, _ body: (Int) -> Void) {
        var number = objects[object].registers
        while number >= 0 {
            body(Int(number))
            number = registers[Int(number)].next
        }
    }
}
