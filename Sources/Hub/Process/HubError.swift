/// Why a hub did not start, or a command about one did nothing.
package struct HubError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was tried and what to do about it, in a sentence or two.
    package let description: String

    package init(_ description: String) { self.description = description }
}
