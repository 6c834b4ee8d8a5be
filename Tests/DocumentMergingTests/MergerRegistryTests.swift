import Foundation
import Merging
import Testing
import UniformTypeIdentifiers

@testable import DocumentMerging

@Suite("Mergers by type")
struct MergerRegistryTests {
    private struct Named: Merger {
        let name: String

        func merge(base: [UInt8]?, mine: [UInt8], theirs: [UInt8]) -> MergedFile {
            MergedFile(contents: mine)
        }
    }

    private func kind(_ registry: MergerRegistry, _ type: UTType) -> String {
        let merger = registry.merger(for: type)
        return (merger as? Named)?.name ?? "\(Swift.type(of: merger))"
    }

    @Test(
        "Each type has the merger of the most specific type it conforms to",
        arguments: [
            (UTType.plainText, "TextMerger"), (.swiftSource, "TextMerger"), (.json, "JSONMerger"),
            (.propertyList, "PropertyListMerger"), (.xmlPropertyList, "PropertyListMerger"),
            (.binaryPropertyList, "PropertyListMerger"), (.replica, "ReplicaMerger"), (.png, "BytesMerger"),
            (.rtf, "BytesMerger"), (.data, "BytesMerger"), (.package, "BytesMerger"),
            (.html, "MarkupMerger"), (.xml, "MarkupMerger"), (.svg, "MarkupMerger"),
            (.css, "TextMerger"),
        ]
    )
    func standard(_ type: UTType, _ name: String) {
        #expect(kind(.standard, type) == name)
    }

    @Test("What conforms to XML is merged as that")
    func conforming() {
        #expect(kind(.standard, UTType("public.xhtml") ?? .data) == "MarkupMerger")
        #expect(kind(.standard, UTType("public.rss") ?? .data) == "MarkupMerger")
    }

    @Test("What an app registers wins for its type and those below, and takes the place of ours")
    func registered() {
        var registry = MergerRegistry.standard
        registry.register(Named(name: "source"), for: .sourceCode)
        registry.register(Named(name: "Swift"), for: .swiftSource)
        registry.register(Named(name: "JSON"), for: .json)
        #expect(kind(registry, .swiftSource) == "Swift")
        #expect(kind(registry, .cSource) == "source")
        #expect(kind(registry, .json) == "JSON")
        #expect(kind(registry, .plainText) == "TextMerger")
        registry.register(Named(name: "newer"), for: .json)
        #expect(kind(registry, .json) == "newer")
    }

    @Test("Of two that have nothing to do with each other the first by identifier is taken, on every device")
    func unrelated() {
        for order in [[UTType.text, .calendarEvent], [.calendarEvent, .text]] {
            var registry = MergerRegistry.standard
            for type in order { registry.register(Named(name: type.identifier), for: type) }
            #expect(kind(registry, UTType("com.apple.ical.ics") ?? .data) == "public.calendar-event")
        }
    }
}
