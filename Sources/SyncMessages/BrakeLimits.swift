/// How large a change has to be for a person to be asked first, in one folder of this device.
package struct BrakeLimits: Hashable, Sendable, Codable {
    /// Nobody is asked.
    package var isOff = false
    /// More than so many items of a hundred.
    package var sharePercent = 50
    /// And at least so many items.
    package var countMin = 20

    package init() {}
}
