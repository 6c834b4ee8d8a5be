/// Where an item is, as far as coordination cares: an absolute path, compared byte by byte.
///
/// Two paths that lead to one item through a symbolic link are two items here; nothing is looked up.
package struct ItemPath: Hashable, Sendable, CustomStringConvertible {
    /// The path as text: no empty, "." or ".." component, and no slash at the end unless it is the root.
    package let string: String

    /// Takes an absolute path, with "." and ".." resolved by name; nil when it is not absolute.
    package init?(_ path: String) {
        guard path.utf8.first == Self.slash else { return nil }
        self.string = Self.isPlain(path) ? path : Self.simplified(path)
    }

    private init(plain string: String) {
        self.string = string
    }

    /// The folder that holds the item; nil for the root.
    package var parent: ItemPath? {
        let bytes = string.utf8
        guard bytes.count > 1, let slash = bytes.lastIndex(of: Self.slash) else { return nil }
        return ItemPath(plain: slash == bytes.startIndex ? "/" : String(string[..<slash]))
    }

    /// The folders that hold the item, the nearest first, the root last.
    package var ancestors: UnfoldFirstSequence<ItemPath> {
        UnfoldFirstSequence(first: parent) { $0.parent }
    }

    /// The folders that hold the item and whose paths have a wanted number of bytes, the nearest first.
    func ancestors(where isWanted: (Int) -> Bool) -> [ItemPath] {
        let bytes = string.utf8
        var (found, length): ([ItemPath], Int) = ([], bytes.count)
        for byte in bytes.reversed() {
            length -= 1
            guard byte == Self.slash, bytes.count > 1, isWanted(max(length, 1)) else { continue }
            let end = bytes.index(bytes.startIndex, offsetBy: max(length, 1))
            found.append(ItemPath(plain: String(string[..<end])))
        }
        return found
    }

    /// Whether the item's name has a dot inside, as an extension needs; a dot at its start only hides it.
    package var hasExtension: Bool {
        string.utf8.reversed().prefix { $0 != Self.slash }.dropLast().contains(UInt8(ascii: "."))
    }

    /// The folders that hold the item and have an extension, the nearest first.
    package var ancestorsWithExtension: [ItemPath] {
        var ends: [Int] = []
        var (index, nameStart, hasDot) = (0, 0, false)
        for byte in string.utf8 {
            if byte == Self.slash {
                if hasDot { ends.append(index) }
                (nameStart, hasDot) = (index + 1, false)
            } else if byte == UInt8(ascii: "."), index > nameStart {
                hasDot = true
            }
            index += 1
        }
        return ends.reversed().map { end in
            let bytes = string.utf8
            return ItemPath(plain: String(string[..<bytes.index(bytes.startIndex, offsetBy: end)]))
        }
    }

    /// Whether the other item is somewhere inside this one.
    package func isAncestor(of other: ItemPath) -> Bool {
        let count = string.utf8.count
        guard other.string.utf8.count > count else { return false }
        if count == 1 { return true }
        let end = other.string.utf8.index(other.string.utf8.startIndex, offsetBy: count)
        return other.string.utf8[end] == Self.slash && other.string.utf8.starts(with: string.utf8)
    }

    /// Whether the other item is this one or inside it.
    package func holds(_ other: ItemPath) -> Bool {
        self == other || isAncestor(of: other)
    }

    /// Where an item of this path is after `source` has become `target`; nil when it is not in `source`.
    package func moved(from source: ItemPath, to target: ItemPath) -> ItemPath? {
        if self == source { return target }
        guard source.isAncestor(of: self) else { return nil }
        let bytes = string.utf8
        let tail = bytes.dropFirst(source.string.utf8.count == 1 ? 0 : source.string.utf8.count)
        return ItemPath(plain: (target.string == "/" ? "" : target.string) + String(Substring(tail)))
    }

    package var description: String { string }

    // Strings compare by canonical equivalence; names on disk are bytes.
    package static func == (left: ItemPath, right: ItemPath) -> Bool {
        let (left, right) = (left.string.utf8, right.string.utf8)
        guard left.count == right.count else { return false }
        let isSame = left.withContiguousStorageIfAvailable { left in
            right.withContiguousStorageIfAvailable { right in
                UnsafeRawBufferPointer(left).isEqual(to: UnsafeRawBufferPointer(right))
            }
        }
        return (isSame ?? nil) ?? left.elementsEqual(right)
    }

    package func hash(into hasher: inout Hasher) {
        let isDone: Void? = string.utf8.withContiguousStorageIfAvailable { bytes in
            hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
        }
        // Every native string is contiguous; one that is not would hash apart, but always so.
        if isDone == nil { for byte in string.utf8 { hasher.combine(byte) } }
    }

    private static let slash = UInt8(ascii: "/")

    /// Whether a path is already as `string` promises, found in one pass without allocating.
    private static func isPlain(_ path: String) -> Bool {
        var path = path
        return path.withUTF8 { isPlain($0) }
    }

    /// - Parameter bytes: Begin with a slash.
    private static func isPlain(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let (count, dot) = (bytes.count, UInt8(ascii: "."))
        guard count > 1 else { return true }
        guard bytes[count - 1] != slash else { return false }
        for index in 0..<count where bytes[index] == slash {
            var end = index + 1
            while end < count, end < index + 3, bytes[end] == dot { end += 1 }
            // Nothing, one dot or two, and then the end of the component.
            if end == count || bytes[end] == slash { return false }
        }
        return true
    }

    private static func simplified(_ path: String) -> String {
        var names: [Substring] = []
        for name in path.split(separator: "/") where name != "." {
            if name == ".." { _ = names.popLast() } else { names.append(name) }
        }
        return "/" + names.joined(separator: "/")
    }
}

/// A first element and what follows each; empty when there is no first.
package struct UnfoldFirstSequence<Element>: Sequence, IteratorProtocol {
    private var upcoming: Element?
    private let following: (Element) -> Element?

    init(first: Element?, following: @escaping (Element) -> Element?) {
        self.upcoming = first
        self.following = following
    }

    package mutating func next() -> Element? {
        defer { upcoming = upcoming.flatMap(following) }
        return upcoming
    }
}

extension UnsafeRawBufferPointer {
    /// Whether there are the same bytes in both: eight at a time, the last eight once more.
    func isEqual(to other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count >= 8 else { return elementsEqual(other) }
        var offset = 0
        while offset + 8 <= count {
            guard isEqual(to: other, at: offset) else { return false }
            offset += 8
        }
        return isEqual(to: other, at: count - 8)
    }

    private func isEqual(to other: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            == other.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}
