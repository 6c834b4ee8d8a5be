/// A value handed from one queue to another, which alone has it from then on.
package struct Transferred<Value>: @unchecked Sendable {
    // Sendable because the giver does not touch the value after handing it over.
    package let value: Value

    package init(_ value: Value) {
        self.value = value
    }
}
