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

    static let noMark = Mark(time: 0, sequence: 0, device: 0)
    static let noEntry = Entry(time: 0, sequence: 0, value: .none, device: 0, kind: .set)

    mutating func reserve(changes: Int, edits: Int) {
        objectNames.reserve(objectNames.count + changes)
        objects.reserveCapacity(objects.count + changes)
        marks.reserve(marks.elements.count + changes)
        registers.reserveCapacity(registers.count + edits)
        registerTable.reserve(registers.count + edits, registers)
        entries.reserve(entries.elements.count + edits)
    }

    /// The object under the number that its name has just been given.
    mutating func makeObject(_ number: Int) {
        if number == objects.count { objects.append(StoredObject()) }
    }

    mutating func register(_ object: Int32, _ property: Int32) -> Int {
        let found = registerTable.find(object, property, in: registers)
        if found >= 0 { return Int(found) }
        registers.append(
            Register(object: object, property: property, next: objects[Int(object)].registers)
        )
        objects[Int(object)].registers = Int32(registers.count - 1)
        registerTable.insertLast(of: registers)
        return registers.count - 1
    }

    func findObject(_ type: String, _ id: String) -> Int? {
        guard let type = names.index(of: type) else { return nil }
        return objectNames.index(of: id, salt: Int32(type))
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
