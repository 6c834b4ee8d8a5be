import FileSystem
import Foundation
import SeededNumbers
import Testing

@testable import UIKit

@Suite("FolderContents")
struct FolderContentsTests {
    private func item(_ name: String, bytes: Int64? = 1, date: Double = 0) -> FolderItem {
        FolderItem(
            id: "f/" + name,
            name: name,
            kind: .document,
            isPackage: name.hasSuffix(".pack"),
            isReachable: true,
            byteCount: name.hasSuffix(".pack") ? nil : bytes,
            modificationDate: Date(timeIntervalSince1970: date),
            typeIdentifier: "t",
            typeTitle: "T",
            folder: FilePath("/f")
        )
    }

    private func summary(bytes: Int64, date: Int64) -> TreeSummary {
        var stamp = FileStamp(
            kind: .regular,
            device: 0,
            inode: 0,
            byteCount: bytes,
            permissions: 0,
            modificationSeconds: date,
            modificationNanoseconds: 0
        )
        stamp.modificationSeconds = date
        var summary = TreeSummary(stamp: stamp)
        summary.add(stamp)
        return summary
    }

    @Test("A whole look tells what is new, what is not as it was, and what is gone")
    func replaces() {
        var contents = FolderContents()
        #expect(contents.replaceAll(with: [item("a"), item("b")]).put.count == 2)
        let difference = contents.replaceAll(with: [item("a"), item("b", bytes: 2), item("c")])
        #expect(Set(difference.put.map(\.name)) == ["b", "c"])
        #expect(difference.drop.isEmpty)
        #expect(contents.replaceAll(with: [item("c")]).drop.sorted() == ["f/a", "f/b"])
        #expect(contents.replaceAll(with: [item("c")]).isEmpty)
    }

    @Test("A look at names tells only of those")
    func updates() {
        var contents = FolderContents()
        _ = contents.replaceAll(with: [item("a"), item("b")])
        let difference = contents.update([("a", nil), ("b", item("b")), ("never", nil), ("c", item("c"))])
        #expect(difference.put.map(\.name) == ["c"])
        #expect(difference.drop == ["f/a"])
    }

    @Test("A package keeps its counted size until it is counted again, and loses it when it goes")
    func counts() {
        var contents = FolderContents()
        _ = contents.replaceAll(with: [item("p.pack", date: 10)])
        let counted = contents.count("p.pack", summary(bytes: 500, date: 20)).put
        #expect(counted.first?.byteCount == 500)
        #expect(counted.first?.modificationDate == Date(timeIntervalSince1970: 20))
        #expect(contents.update([("p.pack", item("p.pack", date: 15))]).isEmpty)
        #expect(contents.update([("p.pack", item("p.pack", date: 30))]).put.first?.byteCount == 500)
        #expect(contents.count("p.pack", nil).put.first?.byteCount == .some(nil))
        #expect(contents.count("gone.pack", nil).isEmpty)
        _ = contents.count("p.pack", summary(bytes: 500, date: 20))
        _ = contents.update([("p.pack", nil)])
        #expect(contents.update([("p.pack", item("p.pack"))]).put.first?.byteCount == .some(nil))
    }

    @Test("Differences add up to what is there, whatever comes")
    func laws() {
        let seed = UInt64.random(in: 0 ... .max)
        print("FolderContents seed \(seed)")
        var generator = SplitMix64(seed: seed)
        var contents = FolderContents()
        var told: [String: FolderItem] = [:]
        for step in 0..<3000 {
            let found = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                item(
                    "\(Int.random(in: 0..<8, using: &generator))",
                    bytes: .random(in: 0...2, using: &generator)
                )
            }
            let unique = Dictionary(found.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
            let difference =
                if Bool.random(using: &generator) {
                    contents.replaceAll(with: Array(unique.values))
                } else {
                    contents.update(
                        unique.map { ($0.key, Bool.random(using: &generator) ? $0.value : nil) }
                    )
                }
            for item in difference.put { told[item.id] = item }
            for id in difference.drop {
                #expect(
                    told.removeValue(forKey: id) != nil,
                    "seed \(seed) step \(step): dropped \(id) unseen"
                )
            }
            let now = Dictionary(uniqueKeysWithValues: contents.items.values.map { ($0.id, $0) })
            #expect(told == now, "seed \(seed) step \(step)")
        }
    }
}
