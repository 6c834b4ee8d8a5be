/// Values by key, of which there are mostly few: then one is found by looking at the keys one by one, which takes a fraction of
/// what a hash does. Where there are many, they are found by their hashes.
///
/// In no order. A place is good until something is put in or taken out.
///
/// Public although no product has it: only then does the compiler put it into the code of other targets.
public struct SmallTable<Key: Hashable, Value> {
    /// So many are looked at one by one.
    @usableFromInline static var fewCountMax: Int { 12 }

    @usableFromInline var keys_: ContiguousArray<Key> = []
    /// One for each key. Nil only while one is about to be taken out.
    @usableFromInline var values_: ContiguousArray<Value?> = []
    /// Where each key is; empty where there are few.
    @usableFromInline var places: [Key: Int] = [:]

    @inlinable public init() {}

    @inlinable public var count: Int { keys_.count }
    @inlinable public var isEmpty: Bool { keys_.isEmpty }
    @inlinable public var keys: ContiguousArray<Key> { keys_ }
    @inlinable public var values: [Value] { values_.compactMap { $0 } }

    @inlinable public func place(of key: Key) -> Int? {
        guard places.isEmpty else { return places[key] }
        for place in 0..<keys_.count where keys_[place] == key { return place }
        return nil
    }

    @inlinable public func key(at place: Int) -> Key { keys_[place] }

    /// The value at a place that `place(of:)` gave.
    @inlinable public subscript(at place: Int) -> Value {
        get {
            guard let value = values_[place] else { preconditionFailure("there is a value for each key") }
            return value
        }
        _modify {
            guard values_[place] != nil else { preconditionFailure("there is a value for each key") }
            yield &values_[place]!
        }
    }

    @inlinable public subscript(key: Key) -> Value? {
        get {
            guard let place = place(of: key) else { return nil }
            return values_[place]
        }
        _modify {
            guard let place = place(of: key) else {
                var value: Value?
                yield &value
                if let value { insert(value, for: key) }
                return
            }
            yield &values_[place]
            if values_[place] == nil { remove(at: place) }
        }
    }

    /// Takes a value out.
    @discardableResult
    @inlinable public mutating func removeValue(forKey key: Key) -> Value? {
        guard let place = place(of: key) else { return nil }
        let value = values_[place]
        remove(at: place)
        return value
    }

    @inlinable mutating func insert(_ value: Value, for key: Key) {
        keys_.append(key)
        values_.append(value)
        if !places.isEmpty {
            places[key] = keys_.count - 1
        } else if keys_.count > Self.fewCountMax {
            places = Dictionary(uniqueKeysWithValues: zip(keys_, keys_.indices))
        }
    }

    /// Takes out what is at a place; the last comes there.
    @inlinable public mutating func remove(at place: Int) {
        let key = keys_[place]
        let last = keys_.count - 1
        if place != last {
            keys_.swapAt(place, last)
            values_.swapAt(place, last)
        }
        keys_.removeLast()
        values_.removeLast()
        guard !places.isEmpty else { return }
        places[key] = nil
        if place != last { places[keys_[place]] = place }
        // Not at once: around the limit they would be looked up again and again.
        if keys_.count <= Self.fewCountMax / 2 { places = [:] }
    }
}

extension SmallTable: Sequence {
    public struct Iterator: IteratorProtocol {
        @usableFromInline let table: SmallTable
        @usableFromInline var next_ = 0

        @inlinable init(_ table: SmallTable) { self.table = table }

        @inlinable public mutating func next() -> (key: Key, value: Value)? {
            guard next_ < table.count else { return nil }
            defer { next_ += 1 }
            return (table.key(at: next_), table[at: next_])
        }
    }

    @inlinable public func makeIterator() -> Iterator { Iterator(self) }
    @inlinable public var underestimatedCount: Int { count }
}

extension SmallTable: Sendable where Key: Sendable, Value: Sendable {}
