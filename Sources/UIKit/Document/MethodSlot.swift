internal import Foundation

/// The place of a method in the method tables of document classes, to tell which of them override it.
///
/// There is no runtime to ask who overrides what. A class's method table follows the fixed part of its metadata,
/// and a subclass has its own function in the slots of what it overrides: the slot is found by two classes of
/// which only one overrides the method. When that finds no slot, or more than one, every class counts as
/// overriding, which is only slower.
struct MethodSlot: Sendable {
    /// The word of the metadata of every document class where the method stands.
    private let number: Int?

    /// - Parameter overriding: A document class that overrides nothing but the method.
    init(overriding: UIDocument.Type) {
        let base = Self.metadata(of: UIDocument.self)
        let byteCount = Int(base.load(fromByteOffset: 32, as: UInt32.self))
        let addressPoint = Int(base.load(fromByteOffset: 36, as: UInt32.self))
        let wordCount = (byteCount - addressPoint) / MemoryLayout<UInt>.size
        guard (Self.fixedWordCount..<Self.wordCountMax).contains(wordCount) else {
            number = nil
            return
        }
        let slots = (Self.fixedWordCount..<wordCount).filter { slot in
            let inherited = Self.word(slot, of: UIDocument.self)
            return Self.word(slot, of: Plain.self) == inherited
                && Self.word(slot, of: overriding) != inherited
        }
        number = slots.count == 1 ? slots[0] : nil
    }

    /// Whether a class overrides the method. Any thread.
    func isOverridden(by type: UIDocument.Type) -> Bool {
        guard let number else { return true }
        return Self.word(number, of: type) != Self.word(number, of: UIDocument.self)
    }

    /// Kind, superclass, flags and sizes in three words, description, destroyer of stored properties.
    private static let fixedWordCount = 7
    /// More would be no class of ours.
    private static let wordCountMax = 4096

    private static func metadata(of type: UIDocument.Type) -> UnsafeRawPointer {
        unsafeBitCast(type as AnyClass, to: UnsafeRawPointer.self)
    }

    private static func word(_ index: Int, of type: UIDocument.Type) -> UInt {
        metadata(of: type).load(fromByteOffset: index * MemoryLayout<UInt>.size, as: UInt.self)
    }

    /// Never made.
    private final class Plain: UIDocument {}
}
