import FileSystem
import Foundation
import Sync
import TestFolders
import Testing

@testable import DeviceSync

/// A suite that looks at a folder of its own, by what it has seen there before.
protocol LookingAtFolder {
    var folder: TestFolder { get }
}

extension LookingAtFolder {
    var root: URL { folder.url }

    func write(_ text: String, _ name: String) throws {
        try Data(text.utf8).write(to: root.appendingPathComponent(name))
    }

    func rename(_ name: String, _ target: String) throws {
        let path = { (name: String) in root.appendingPathComponent(name).path }
        #expect(Foundation.rename(path(name), path(target)) == 0)
    }

    /// The item whose mark something bears.
    func mark(_ name: String) throws -> ItemID? {
        try FileIdentity.mark(at: FilePath(root.appendingPathComponent(name).path)).map { ItemID($0) }
    }

    /// - Parameters:
    ///   - folders: Nil for all that are known.
    ///   - departed: What has left its name a moment ago.
    func look(
        _ table: inout FolderTable,
        at folders: Set<ItemID>? = nil,
        departed: [ItemPlace: ItemID] = [:]
    ) throws -> FolderLook.Outcome {
        var look = FolderLook(table, at: FilePath(root.path), isPackage: { $0.hasSuffix(".rtfd") })
        look.departed = departed
        let all = Set(table.items.all.filter { $0.value.state.kind == .folder }.keys).union([.root])
        let outcome = try look.look(at: folders ?? all)
        table = look.table
        // As if all had been read.
        for (item, trace) in outcome.touched {
            table[item]?.trace = trace
            table[item]?.state.content = ContentName("\(trace.inode) \(trace.modified)")
        }
        return outcome
    }

    func item(_ name: String, in table: FolderTable) -> ItemID? {
        table.item(at: ItemPlace(.root, name))
    }
}
