import CLinux
import CrashHarness
import Foundation
import TestThreads
import Testing

@testable import FileSystem

@Suite("CarriedAttributes", .onOwnThreads)
struct CarriedAttributesTests {
    @Test(
        "Where the group cannot be kept, the new one may do no more than everybody",
        .enabled(if: geteuid() == 0)
    )
    func lostGroup() async {
        await #expect(processExitsWith: .success) {
            let place = try OthersPlace()
            let cases: [(old: UInt32, new: UInt32)] = [
                (0o660, 0o600), (0o664, 0o644), (0o640, 0o600), (0o646, 0o646), (0o606, 0o606),
                (0o600, 0o600), (0o2770, 0o700),
            ]
            for (old, new) in cases {
                let name = String(old, radix: 8)
                guard let item = try place.file(named: name, permissions: old) else { return }
                try place.save(item, asGroup: 1001)
                let status = try place.status(of: item)
                #expect(status.owner == 1001 && status.group == 1001)
                #expect(status.stamp.permissions == new, "from \(name)")
            }
        }
    }

    @Test("A member of the group keeps it, and all that it may", .enabled(if: geteuid() == 0))
    func keptGroup() async {
        await #expect(processExitsWith: .success) {
            let place = try OthersPlace()
            guard let item = try place.file(named: "item.doc", permissions: 0o660) else { return }
            try place.save(item, asGroup: 1000)
            let status = try place.status(of: item)
            #expect(status.owner == 1001 && status.group == 1000)
            #expect(status.stamp.permissions == 0o660)
        }
    }

    @Test("What may not be written to takes over what the former bore", .enabled(if: geteuid() == 0))
    func unwritable() async {
        await #expect(processExitsWith: .success) {
            let place = try OthersPlace()
            guard let item = try place.file(named: "item.doc", permissions: 0o666) else { return }
            try SystemCalls.lsetxattr(item, "user.tag", Array("red".utf8), isNew: true)
            try place.save(item, asGroup: 1001) { save in
                let staged = try save.stagedPath()
                try DiskTree.file("new").write(to: staged)
                try #require(chmod(staged.string, 0o444) == 0)
            }
            #expect(try SystemCalls.lgetxattr(item, "user.tag", byteCount: 3) == Array("red".utf8))
            #expect(try String(contentsOfFile: item.string, encoding: .utf8) == "new")
        }
    }

    @Test(
        "A package that a group shares stays one where another of the group saves it",
        .enabled(if: geteuid() == 0)
    )
    func sharedPackage() async {
        await #expect(processExitsWith: .success) {
            let place = try OthersPlace()
            guard let item = try place.file(named: "item.doc", permissions: 0o660) else { return }
            try FileManager.default.removeItem(atPath: item.string)
            try DiskTree.folder(["a": "A", "Sub": ["b": "B"]]).write(to: item)
            for folder in [item, item.appending("Sub")] {
                try #require(chown(folder.string, 1000, 1000) == 0 && chmod(folder.string, 0o2775) == 0)
            }
            let names = ["c", "d"].compactMap { MemberPath([$0]) }
            let placed = names.map { ($0, MemberTree.file(.data(Data("new".utf8)))) }
            let changes = PackageChanges(placed: Dictionary(uniqueKeysWithValues: placed))
            try place.save(item, asGroup: 1000) { save in try save.write(changes) }
            for folder in [item, item.appending("Sub")] {
                let status = try place.status(of: folder)
                #expect(status.owner == 1001 && status.group == 1000)
                #expect(status.stamp.permissions == 0o2775)
            }
        }
    }

    @Test(
        "Where the group cannot be kept, an access list lets in whom it names, and not the new group",
        .enabled(if: geteuid() == 0)
    )
    func lostGroupWithList() async {
        await #expect(processExitsWith: .success) {
            let place = try OthersPlace()
            guard let item = try place.file(named: "item.doc", permissions: 0o660) else { return }
            let old = [UInt8](accessList(ownGroup: 6, mask: 6))
            guard setxattr(item.string, AccessList.attributeName, old, old.count, 0) == 0 else {
                print("not tried: no access lists here, \(errno)")
                return
            }
            try place.save(item, asGroup: 1001)
            let list = try FileReading.extendedAttribute(AccessList.attributeName, of: item)
            #expect(list == accessList(ownGroup: 0, mask: 6))
            #expect(try place.status(of: item).stamp.permissions == 0o660)
        }
    }

    @Test("What is made in a package begins with the same access list after a rebuild")
    func defaultList() throws {
        let scratch = try ScratchFolder()
        let item = scratch.path.appending("item.doc")
        try DiskTree.folder(["a": "A", "Sub": ["b": "B"]]).write(to: item)
        let old = [UInt8](accessList(ownGroup: 5, mask: 7))
        for folder in [item, item.appending("Sub")] {
            let name = AccessList.defaultAttributeName
            guard setxattr(folder.string, name, old, old.count, 0) == 0 else {
                print("not tried: no access lists here, \(errno)")
                return
            }
        }
        let paths = ["c", "d"].compactMap { MemberPath([$0]) }
        let placed = paths.map { ($0, MemberTree.file(.data(Data("new".utf8)))) }
        let save = try StagedSave(item: item)
        try save.write(PackageChanges(placed: Dictionary(uniqueKeysWithValues: placed)))
        try save.commit()
        for folder in [item, item.appending("Sub")] {
            let list = try FileReading.extendedAttribute(AccessList.defaultAttributeName, of: folder)
            #expect(list == Data(old))
        }
    }

    @Test("Of an access list the item's own group alone is lowered, to what everybody may")
    func loweredList() throws {
        var list = try #require(AccessList(accessList(ownGroup: 6, mask: 7, others: 4)))
        #expect(list.hasMask)
        list.lowerOwnGroup()
        #expect(list.value == accessList(ownGroup: 4, mask: 7, others: 4))
        list.lowerOwnGroup()
        #expect(list.value == accessList(ownGroup: 4, mask: 7, others: 4))
        #expect(AccessList(accessList(ownGroup: 6, mask: nil))?.hasMask == false)
    }

    @Test("What is no access list is not taken for one")
    func otherForms() {
        let list = accessList(ownGroup: 6, mask: 6)
        #expect(AccessList(list) != nil)
        #expect(AccessList(list.dropLast()) == nil)
        #expect(AccessList(Data([3]) + list.dropFirst()) == nil)
        #expect(AccessList(Data()) == nil)
    }
}

/// An access list with an entry for user 1002, as the kernel has it.
private func accessList(ownGroup: UInt8, mask: UInt8?, others: UInt8 = 0) -> Data {
    let nobody: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    var entries: [[UInt8]] = [
        [0x01, 0, 6, 0] + nobody, [0x02, 0, 6, 0, 0xEA, 0x03, 0, 0], [0x04, 0, ownGroup, 0] + nobody,
    ]
    if let mask { entries.append([0x10, 0, mask, 0] + nobody) }
    entries.append([0x20, 0, others, 0] + nobody)
    var list = Data([2, 0, 0, 0])
    for entry in entries { list.append(contentsOf: entry) }
    return list
}
