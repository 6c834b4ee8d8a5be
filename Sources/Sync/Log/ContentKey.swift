/// What contents are known by in tables: 125 bits made of their name with this process's own random key, so that nobody can
/// make two names of one.
struct ContentKey: Hashable, Sendable {
    let high: UInt64
    /// Its lowest bits are 0.
    let low: UInt64

    /// How many bits at the end are 0.
    static let freeBitCount = 3

    init(_ name: ContentName) { self = name.stored.withUnsafeBytes { ContentKey($0) } }

    /// - Parameter stored: What is stored of a name.
    init(_ stored: UnsafeRawBufferPointer) {
        // Each is keyed with random bits of the process.
        var (first, second) = (Hasher(), Hasher())
        first.combine(bytes: stored)
        second.combine(Self.freeBitCount)
        second.combine(bytes: stored)
        high = UInt64(bitPattern: Int64(first.finalize()))
        low = UInt64(bitPattern: Int64(second.finalize())) & ~(1 << Self.freeBitCount - 1)
    }
}
