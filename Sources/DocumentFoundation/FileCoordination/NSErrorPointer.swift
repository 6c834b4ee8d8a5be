public import Foundation

/// Where a call that returns nothing leaves its error; nil when the caller does not want it.
///
/// Takes `&error` for a `var error: NSError?`, and `nil`.
///
/// Differs from Darwin: an `UnsafeMutablePointer`; Linux has no autoreleasing pointers.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
