/// What lies in a chain: it knows the next one.
protocol Chained {
    var next: Int32 { get set }
}

extension Mark: Chained {}
extension Entry: Chained {}

/// Many short chains in one array. A chain is known by the number of its head, -1 when it is empty.
struct Chains<Element: Chained & Sendable>: Sendable {
    private(set) var elements: [Element] = []
    private var free: Int32 = -1

    mutating func reserve(_ count: Int) {
        elements.reserveCapacity(count)
    }

    subscript(number: Int32) -> Element {
        get { elements[Int(number)] }
        set { elements[Int(number)] = newValue }
    }

    mutating func push(_ element: consuming Element, on head: inout Int32) {
        element.next = head
        if free >= 0 {
            head = free
            free = elements[Int(free)].next
            elements[Int(head)] = element
        } else {
            head = Int32(elements.count)
            elements.append(element)
        }
    }

    /// Takes out what is unwanted; `emptied` is left in its place until the place is used again.
    mutating func remove(from head: inout Int32, emptied: Element, where isUnwanted: (Element) -> Bool) {
        var (number, last) = (head, Int32(-1))
        while number >= 0 {
            let next = elements[Int(number)].next
            if isTrue(isUnwanted, of: number) {
                if last < 0 { head = next } else { elements[Int(last)].next = next }
                elements[Int(number)] = emptied
                elements[Int(number)].next = free
                free = number
            } else {
                last = number
            }
            number = next
        }
    }

    mutating func update(_ head: Int32, _ change: (inout Element) -> Void) {
        var number = head
        while number >= 0 {
            change(&elements[Int(number)])
            number = elements[Int(number)].next
        }
    }

    func forEach(from head: Int32, _ body: (Element) -> Void) {
        var number = head
        while number >= 0 {
            body(elements[Int(number)])
            number = elements[Int(number)].next
        }
    }

    func first(from head: Int32, where isWanted: (Element) -> Bool) -> Int32 {
        var number = head
        while number >= 0, !isTrue(isWanted, of: number) { number = elements[Int(number)].next }
        return number
    }

    /// Asks about an element where it is: to copy one costs more than to look at it.
    @inline(__always)
    private func isTrue(_ claim: (Element) -> Bool, of number: Int32) -> Bool {
        precondition(elements.indices.contains(Int(number)), "no element has the number \(number)")
        return elements.withUnsafeBufferPointer { claim($0[Int(number)]) }
    }

    func list(from head: Int32) -> [Element] {
        var list: [Element] = []
        forEach(from: head) { list.append($0) }
        return list
    }
}
