import FileSystem
import Sync
import TestThreads
import Testing

@testable import DeviceSync

@Suite("What is known of an item on the disk", .onOwnThreads)
struct FolderItemTests {
    @Test("It is as small as it can be: there is one for each item")
    func size() {
        #expect(MemoryLayout<FolderItem>.stride == 48)
        #expect(MemoryLayout<ItemState>.stride == 8)
    }

    @Test(
        "A trace is what it was made of, whatever kernels call devices",
        arguments: [0, 1, 0x801, 0xFFFF_FFFF] as [UInt64]
    )
    func trace(device: UInt64) {
        let trace = ItemTrace(
            device: device,
            inode: .max,
            kind: .regular,
            byteCount: .max,
            permissions: 0o7777,
            modified: .min,
            changed: -1
        )
        #expect(trace.device == device && trace.inode == .max && trace.key == ItemID(device, .max))
        #expect(trace.kind == .regular && trace.byteCount == .max && trace.permissions == 0o7777)
        #expect(trace.modified == .min && trace.changed == -1)
    }
}
