import Cryptography
import DocumentTesting
import FileSystem
import Foundation
import HubProtocol
import Locks
import Sealing
import TestFolders
import TestThreads
import Testing
import Vault

@testable import DeviceSync

/// Under which key contents go that take a while.
@Suite("The key of what is sent", .onOwnThreads, .timeLimit(.minutes(2)))
struct UploadKeyTests {
    private struct CountingHub: ForwardingHub {
        let hub: any ContainerHub
        let storeCount: Locked<Int>

        func store(_ frames: Data) throws {
            try hub.store(frames)
            storeCount.withLock { $0 += 1 }
        }
    }

    @Test("A key that comes while contents are sent seals all requests that are made from then on")
    func renewed() throws {
        let folder = try TestFolder("upload-keys")
        let path = FilePath(folder.path).appending("large.bin")
        var bytes = [UInt8](repeating: 0, count: 16 << 20)
        for index in bytes.indices { bytes[index] = .random(in: 0...255) }
        try Data(bytes).write(to: path.url(isDirectory: false))
        let vault = try Vault(at: FilePath(folder.path).appending("vault"))
        let store = ContentStore(vault: vault, device: UUID(), deviceName: "here")
        let content = try #require(
            try store.keep(Vault.Keepable(path, as: .fresh(), isElsewhere: true))
        )
        let founded = try FoundedContainer(deviceCount: 1)
        let keys = try founded.keys.adding(ContainerKey(generation: 2, random: RandomBytes.make))
        let storeCount = Locked(0)
        let hub = CountingHub(hub: founded.hub.line(), storeCount: storeCount)
        func sealer() throws -> BlobSealer {
            try BlobSealer(keys, sealingUnder: storeCount.withLock { $0 } < 1 ? 1 : 2)
        }
        try store.upload([ContentStore.Upload(content)], to: hub, try sealer())
        let generations = founded.hub.blobs.values.map { Array($0.prefix(5).dropFirst()) }
        #expect(storeCount.withLock { $0 } > 4)
        #expect(generations.contains([0, 0, 0, 1]) && generations.contains([0, 0, 0, 2]))
        #expect(try store.keep(Vault.Keepable(path, as: .fresh(), isElsewhere: true)) == content)
    }
}
