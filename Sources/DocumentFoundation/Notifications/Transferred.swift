/// A value handed from one queue to another, which alone touches it from then on, or as long as the giver waits.
package struct Transferred<Value>: @unchecked Sendable {
    // Sendable because the giver does not touch the value after handing it over, or not before the taker is done.
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
