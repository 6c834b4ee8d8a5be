// Two and three devices, each with a name in the test at once. What is not taken apart is an array: Swift prefers the function
// of which no parameter is left to its default.
extension DocumentWorld {
    /// Adds two devices, “device 1” and “device 2”, each for a name of its own.
    ///
    ///     let (phone, pad) = try world.devices(2)
    ///
    /// - Parameters:
    ///   - count: 2; anything else is a mistake of the test, which ends there.
    ///   - file: Where the test is, for that.
    ///   - line: Where the test is, for that.
    /// - Throws: What keeps their folders from being made.
    public func devices(
        _ count: Int,
        file: StaticString = #file,
        line: UInt = #line
    ) throws -> (WorldDevice, WorldDevice) {
        precondition(count == 2, "\(count) devices are taken for two", file: file, line: line)
        let devices = try devices(count) as [WorldDevice]
        return (devices[0], devices[1])
    }

    /// Adds three devices, “device 1” to “device 3”, each for a name of its own.
    ///
    ///     let (phone, pad, desk) = try world.devices(3)
    ///
    /// - Parameters:
    ///   - count: 3; anything else is a mistake of the test, which ends there.
    ///   - file: Where the test is, for that.
    ///   - line: Where the test is, for that.
    /// - Throws: What keeps their folders from being made.
    public func devices(
        _ count: Int,
        file: StaticString = #file,
        line: UInt = #line
    ) throws -> (WorldDevice, WorldDevice, WorldDevice) {
        precondition(count == 3, "\(count) devices are taken for three", file: file, line: line)
        let devices = try devices(count) as [WorldDevice]
        return (devices[0], devices[1], devices[2])
    }
}
