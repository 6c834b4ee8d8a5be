/// Does not keep what it refers to.
final class Weak<Object: AnyObject> {
    weak var value: Object?

    init(_ value: Object) { self.value = value }
}
