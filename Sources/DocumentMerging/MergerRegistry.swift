internal import Merging
internal import UniformTypeIdentifiers

/// Which merger is for files of which type. Pure.
struct MergerRegistry {
    private var mergers: [UTType: any Merger] = [:]

    /// One that knows ours: text by line and word, XML and HTML by line, JSON and property lists by key, replicas by
    /// change.
    ///
    /// Rich text is text by its type, but its lines say nothing: brackets go across them. So do tags, which are looked
    /// at when lines have been merged.
    static let standard: MergerRegistry = {
        var registry = MergerRegistry()
        registry.register(BytesMerger(), for: .data)
        registry.register(TextMerger(), for: .text)
        registry.register(BytesMerger(), for: .rtf)
        // SVG as well, which is an image and XML at once.
        registry.register(MarkupMerger(.xml), for: .xml)
        registry.register(MarkupMerger(.html), for: .html)
        registry.register(JSONMerger(), for: .json)
        registry.register(PropertyListMerger(), for: .propertyList)
        // It conforms to XML as well, neither being the more specific.
        registry.register(PropertyListMerger(), for: .xmlPropertyList)
        registry.register(ReplicaMerger(), for: .replica)
        return registry
    }()

    /// Puts a merger in the place of the one for this very type, if there is one.
    mutating func register(_ merger: any Merger, for type: UTType) {
        mergers[type] = merger
    }

    /// The merger of the most specific type that a type conforms to.
    ///
    /// Of several that have nothing to do with each other, it is the one whose identifier comes first: the same on every
    /// device.
    func merger(for type: UTType) -> any Merger {
        if let exact = mergers[type] { return exact }
        let candidates = mergers.keys.filter { type.conforms(to: $0) }
        let nearest = candidates.filter { candidate in
            !candidates.contains { $0.isSubtype(of: candidate) }
        }
        let best = nearest.min { $0.identifier.utf8.lexicographicallyPrecedes($1.identifier.utf8) }
        return best.flatMap { mergers[$0] } ?? BytesMerger()
    }
}
