/// How large anything may be that comes from outside.
enum ChangeLimits {
    /// Bytes of a type's, an object's or a property's name.
    static let nameByteCountMax = 1000
    /// Every device knows how far every other one is: a square of numbers, 8 MB of them.
    static let deviceCountMax = 1000
    /// Property changes of one change set.
    static let editCountMax = 100_000
    /// Change sets kept because what they rest on has not come yet; more are dropped, and come again when asked for.
    static let waitingCountMax = 100_000
    /// No device makes more changes; it would take one each microsecond for 300 years to get there.
    static let sequenceMax: UInt64 = 1 << 53
    /// Scalars that one change of a text puts in, or takes away.
    static let spliceCountMax = 1 << 24
    /// How many objects, properties and values memory has numbers for.
    static let itemCountMax = Int(Int32.max)
}
