/// How far a device has read who shares a container.
///
/// A device that lets another one in gives it its own: what came before is known to one of them, and a hub that shows the other
/// one anything else, such as a log in which a device that was shut out goes on adding devices, is found.
package struct DeviceListMark: Codable, Hashable, Sendable {
    /// Of the last statement.
    package let number: UInt32
    /// Of that statement, and so of all before it.
    package let hash: DeviceListHash

    package init(number: UInt32, hash: DeviceListHash) { (self.number, self.hash) = (number, hash) }
}
