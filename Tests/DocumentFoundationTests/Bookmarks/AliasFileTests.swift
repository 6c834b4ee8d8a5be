import DocumentFoundation
import Foundation
import TestThreads
import Testing

@Suite("Alias files", .onOwnThreads)
struct AliasFileTests {
    private let stage: BookmarkStage

    init() throws { stage = try BookmarkStage() }

    private func code(_ body: () throws -> Void) -> CocoaError.Code? {
        do { try stage.run(body) } catch { return (error as? CocoaError)?.code }
        return nil
    }

    @Test("An alias file leads to its item wherever that is")
    func leads() throws {
        let url = try stage.write("Sea.txt")
        try stage.run {
            let data = try url.bookmarkData(options: .suitableForBookmarkFile)
            try URL.writeBookmarkData(data, to: stage.place("to the sea"))
            let alias = stage.place("to the sea.alias")
            #expect(try URL(resolvingAliasFileAt: alias) == url)
            try stage.move(url, to: stage.place("in/Ocean.txt"))
            #expect(try URL(resolvingAliasFileAt: alias) == stage.place("in/Ocean.txt"))
            #expect(try NSURL(resolvingAliasFileAt: alias) as URL == stage.place("in/Ocean.txt"))
            #expect(try URL.bookmarkData(withContentsOf: alias) == data)
            try NSURL.writeBookmarkData(data, to: alias, options: 0)
            #expect(try NSURL.bookmarkData(withContentsOf: alias) == data)
        }
    }

    @Test("What is no alias leads to itself, and has no bookmark data in it")
    func noAlias() throws {
        let url = try stage.write("Sea.txt")
        for item in [url, stage.documents] {
            let found = try stage.run { try URL(resolvingAliasFileAt: item) }
            #expect(found == item)
        }
        #expect(code { _ = try URL.bookmarkData(withContentsOf: url) } == .fileReadCorruptFile)
        #expect(code { _ = try URL(resolvingAliasFileAt: stage.place("none")) } == .fileReadNoSuchFile)
    }

    @Test("An alias that was altered leads nowhere")
    func altered() throws {
        let url = try stage.write("Sea.txt")
        let alias = stage.place("a.alias")
        try stage.run {
            try URL.writeBookmarkData(url.bookmarkData(options: .suitableForBookmarkFile), to: alias)
        }
        var data = try Data(contentsOf: alias)
        data[data.count / 2] ^= 1
        try data.write(to: alias)
        #expect(code { _ = try URL(resolvingAliasFileAt: alias) } == .fileReadCorruptFile)
        #expect(code { _ = try URL.bookmarkData(withContentsOf: alias) } == .fileReadCorruptFile)
    }

    @Test("Only a bookmark made for it is written into a file")
    func unsuitable() throws {
        let url = try stage.write("Sea.txt")
        #expect(
            code { try URL.writeBookmarkData(url.bookmarkData(), to: stage.place("a.alias")) }
                == .fileWriteUnknown
        )
        #expect(
            code { try URL.writeBookmarkData(Data([1]), to: stage.place("a.alias")) } == .fileReadCorruptFile
        )
        #expect(!FileManager.default.fileExists(atPath: stage.place("a.alias").path))
    }
}
