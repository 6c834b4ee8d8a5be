package import FileSystem

extension Vault {
    /// How much room there is for more on the vault's volume, in bytes, as far as that says.
    package func roomByteCount() throws(SystemError) -> Int { try store.roomByteCount() }
}

extension VaultStore {
    /// A quarter of what is free is left to others, and no more than this.
    private static let leftByteCountMax = 64 << 20
    /// However little is free, so much is left to others.
    private static let leftByteCountMin = 4 << 20

    /// How much room there is for more: without any left nobody could save anything, nor could be noted what has been done.
    func roomByteCount() throws(SystemError) -> Int { Self.roomByteCount(ofFree: try packs.freeByteCount()) }

    /// How much room there is on a volume on which so much is free.
    static func roomByteCount(ofFree free: Int) -> Int {
        max(free - min(max(free / 4, Self.leftByteCountMin), Self.leftByteCountMax), 0)
    }
}
