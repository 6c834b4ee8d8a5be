/// Tells whether a document class writes by means of its own.
///
/// What `writeContents(_:to:for:originalContentsURL:)` gets is a place where it may do anything, which takes a
/// folder that is made and removed for each save. Few classes override it, and a lone file written by
/// `UIDocument` itself needs none.
///
/// There is no runtime to ask who overrides what. A class's method table follows the fixed part of its metadata,
/// and a subclass has its own function in the slots of what it overrides: the slot is found by two classes of
/// which only one overrides the method. When that finds no slot, or more than one, every class counts as
/// overriding, which is only slower.
enum WritingOverride {
    /// Whether a class overrides `writeContents(_:to:for:originalContentsURL:)`. Any thread.
    static func isOverridden(by type: UIDocument.Type) -> Bool {
        guard let slot else { return true }
        return word(slot, of: type) != word(slot, of: UIDocument.self)
    }

    /// The word of the metadata of every document class where the method stands.
    private static let slot: Int? = {
        let base = metadata(of: UIDocument.self)
        let byteCount = Int(base.load(fromByteOffset: 32, as: UInt32.self))
        let addressPoint = Int(base.load(fromByteOffset: 36, as: UInt32.self))
        let wordCount = (byteCount - addressPoint) / MemoryLayout<UInt>.size
        guard (fixedWordCount..<wordCountMax).contains(wordCount) else { return nil }
        let slots = (fixedWordCount..<wordCount).filter { slot in
            let inherited = word(slot, of: UIDocument.self)
            return word(slot, of: Plain.self) == inherited && word(slot, of: Overriding.self) != inherited
        }
        return slots.count == 1 ? slots[0] : nil
    }()

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

    /// Never made.
    private final class Overriding: UIDocument {
        override func writeContents(
            _ contents: Any,
            to url: URL,
            for saveOperation: SaveOperation,
            originalContentsURL: URL?
        ) throws {
            throw DocumentError.notOverridden("init(fileURL:)", in: Overriding.self, at: url)
        }
    }
}
