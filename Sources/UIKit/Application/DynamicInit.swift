internal import CDynamicInit
internal import Foundation

/// Makes an object of a class that is known by its metatype only, as the Objective-C runtime does with `init`.
///
/// `UIApplicationMain` and a scene's manifest name the delegate's class, and an app delegate is declared
/// `class AppDelegate: UIResponder, UIApplicationDelegate`, with no `required init()`. Swift refuses to call an
/// initializer through a metatype unless it is required, and requiring it of `UIResponder` would require it of
/// every view controller as well. The initializer is there all the same: every subclass of `NSObject` has its
/// own in the slot of its method table that `NSObject` gave it. That slot is read from NSObject's type
/// description, whose layout is part of Swift's ABI.
enum DynamicInit {
    /// A new object of `type`; nil when the class cannot be made this way.
    static func make(_ type: NSObject.Type) -> NSObject? {
        guard let slot = initSlot else { return nil }
        let metadata = unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
        let function = metadata.load(
            fromByteOffset: slot * MemoryLayout<UnsafeRawPointer>.size,
            as: UnsafeRawPointer.self
        )
        return Unmanaged<NSObject>.fromOpaque(cdoc_call_allocating_init(function, metadata))
            .takeRetainedValue()
    }

    /// The word of a class's metadata where its `init()` stands.
    private static let initSlot: Int? = {
        let metadata = unsafeBitCast(NSObject.self as AnyClass, to: UnsafeRawPointer.self)
        let descriptor = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer.self)
        let flags = descriptor.load(as: UInt32.self)
        let isClass = flags & 0x1f == 16
        let isGeneric = flags & 0x80 != 0
        let hasMethodTable = flags >> 31 == 1
        let hasPlainHeader = (flags >> 16) & 0x2003 == 0
        guard isClass, !isGeneric, hasMethodTable, hasPlainHeader else { return nil }
        let header = 11 * MemoryLayout<UInt32>.size
        let firstSlot = Int(descriptor.load(fromByteOffset: header, as: UInt32.self))
        let count = Int(descriptor.load(fromByteOffset: header + 4, as: UInt32.self))
        let initializers = (0..<count).filter { index in
            let flags = descriptor.load(fromByteOffset: header + 8 + 8 * index, as: UInt32.self)
            return flags & 0x1f == 0x01
        }
        guard let only = initializers.first, initializers.count == 1 else { return nil }
        return firstSlot + only
    }()
}
