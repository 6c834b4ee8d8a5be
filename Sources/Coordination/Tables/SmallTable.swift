/// Values by key, of which there are mostly few: then one is found by looking at the keys one by one, which takes a fraction of
/// what a hash does. Where there are many, they are found by their hashes.
///
/// In no order. A place is good until something is put in or taken out.
///
/// Public although no product has it: only then does the compiler put it into the code of other targets.
public struct SmallTable<Key: Hashable, Value> {
    /// So many are looked at one by one.
    @usableFromInline static var fewCountMax: Int { 12 }

    @usableFromInline var allKeys: ContiguousArray<Key> = []
    /// One for each key.
    @usableFromInline var all: ContiguousArray<Value> = []
    /// Where each key is; empty where there are few.
    @usableFromInline var places: [Key: Int] = [:]

    /// An empty one.
    @inlinable public init() {}

    /// How many there are.
    @inlinable public var count: Int { allKeys.count }
    /// Whether there is none.
    @inlinable public var isEmpty: Bool { allKeys.isEmpty }
    /// The keys, each once.
    @inlinable public var keys: ContiguousArray<Key> { allKeys }
    /// The values, in the order of the keys.
    @inlinable public var values: ContiguousArray<Value> { all }

    /// Where a key is; nil where it is not.
    @inlinable public func place(of key: Key) -> Int? {
        guard places.isEmpty else { return places[key] }
        for place in 0..<allKeys.count where allKeys[place] == key { return place }
        return nil
    }

    /// The key at a place that `place(of:)` gave.
    @inlinable public func key(at place: Int) -> Key { allKeys[place] }

    /// The value at a place that `place(of:)` gave.
    @inlinable public subscript(at place: Int) -> Value {
        // Not copied: a value may hold much.
        _read { yield all[place] }
        _modify { yield &all[place] }
    }

    /// The value for a key; nil for none, and to take it out.
    @inlinable public subscript(key: Key) -> Value? {
        get {
            guard let place = place(of: key) else { return nil }
            return all[place]
        }
        _modify {
            guard let place = place(of: key) else {
                var value: Value?
                yield &value
                if let value { insert(value, for: key) }
                return
            }
            // Taken out meanwhile: nobody else has it, so it is changed where it is.
            all.swapAt(place, all.count - 1)
            var value: Value? = all.removeLast()
            defer {
                if let value {
                    all.append(value)
                    all.swapAt(place, all.count - 1)
                } else {
                    removeKey(at: place)
                }
            }
            yield &value
        }
    }

    /// Takes a value out.
    @discardableResult
    @inlinable public mutating func removeValue(forKey key: Key) -> Value? {
        guard let place = place(of: key) else { return nil }
        all.swapAt(place, all.count - 1)
        let value = all.removeLast()
        removeKey(at: place)
        return value
    }

    @inlinable mutating func insert(_ value: Value, for key: Key) {
        allKeys.append(key)
        all.append(value)
        if !places.isEmpty {
            places[key] = allKeys.count - 1
        } else if allKeys.count > Self.fewCountMax {
            places = Dictionary(uniqueKeysWithValues: zip(allKeys, allKeys.indices))
        }
    }

    /// Takes out what is at a place; the last comes there.
    @inlinable public mutating func remove(at place: Int) {
        all.swapAt(place, all.count - 1)
        all.removeLast()
        removeKey(at: place)
    }

    /// As `remove(at:)`, of which the value is done.
    @inlinable mutating func removeKey(at place: Int) {
        let key = allKeys[place]
        let last = allKeys.count - 1
        allKeys.swapAt(place, last)
        allKeys.removeLast()
        guard !places.isEmpty else { return }
        places[key] = nil
        if place != last { places[allKeys[place]] = place }
        // Not at once: around the limit they would be looked up again and again.
        if allKeys.count <= Self.fewCountMax / 2 { places = [:] }
    }
}

extension SmallTable: Sequence {
    /// Shows keys and values as they were when it was made.
    public struct Iterator: IteratorProtocol {
        @usableFromInline let table: SmallTable
        @usableFromInline var position = 0

        @inlinable init(_ table: SmallTable) { self.table = table }

        /// The next key with its value; nil when there is none.
        @inlinable public mutating func next() -> (key: Key, value: Value)? {
            guard position < table.count else { return nil }
            defer { position += 1 }
            return (table.key(at: position), table[at: position])
        }
    }

    /// Shows all keys and values.
    @inlinable public func makeIterator() -> Iterator { Iterator(self) }
    /// How many there are.
    @inlinable public var underestimatedCount: Int { count }
}

extension SmallTable: Sendable where Key: Sendable, Value: Sendable {}
