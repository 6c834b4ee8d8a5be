internal import CrashHarness
internal import Cryptography
internal import DeviceSync
internal import DocumentTesting
internal import FileSystem
internal import Foundation
internal import HubProtocol
internal import Sealing
internal import SyncMessages

/// A container that two devices share, and a hub that is in this process.
struct DeviceScene {
    /// Something does not come in step.
    struct NeverInStep: Error, CustomStringConvertible {
        let description: String
    }

    static let waitSeconds = 20.0
    /// The folder of the device whose power is cut.
    static let folderName = "one"

    let container: ContainerName
    let hub: HubInMemory
    private let identities: [DeviceIdentity]
    private let keys: ContainerKeys

    init() throws {
        container = ContainerName(unchecked: (0..<16).map { _ in .random(in: 0...255) })
        hub = try HubInMemory(container)
        identities = try (0..<2).map { _ in try DeviceIdentity(random: RandomBytes.make) }
        keys = try Founding.found(container, by: identities[0], named: "one", at: hub.line())
        let other = identities[1].publicIdentity(named: "two")
        try Founding.add(other, to: keys, by: identities[0], at: hub.line())
    }

    /// The device whose power is cut.
    ///
    /// - Parameter sockets: Where it is asked, which is on no disk; nil for in the base.
    func one(in base: FilePath, at hub: HubInMemory, sockets: FilePath? = nil) throws -> WorldDevice {
        try WorldDevice(
            Self.folderName,
            in: base.url(isDirectory: true),
            identities[0],
            keys,
            at: hub,
            sockets: sockets?.url(isDirectory: true)
        )
    }

    /// The other one, which has nothing yet.
    func two(in base: FilePath, at hub: HubInMemory) throws -> WorldDevice {
        try WorldDevice("two", in: base.url(isDirectory: true), identities[1], keys, at: hub)
    }

    /// The hub, as it was when its log had so many entries.
    func hub(_ backup: HubInMemory.Backup, entryCount: Int) throws -> HubInMemory {
        let hub = try HubInMemory(container)
        hub.restore(backup)
        try hub.rewriteLog { $0 = Array($0.prefix(entryCount)) }
        return hub
    }

    /// What a hub has, as a device sees it that has just come.
    func contents(at hub: HubInMemory) throws -> FolderContents {
        let scratch = try ScratchFolder()
        let device = try two(in: scratch.path, at: hub)
        try device.start()
        defer { device.stop() }
        try Self.settle(device)
        return FolderContents(of: device.folder)
    }

    static func settle(_ device: WorldDevice) throws {
        guard !device.wait(seconds: waitSeconds, until: { device.status?.isSettled == true }) else { return }
        let status = device.status
        throw NeverInStep(
            description:
                "“\(device.name)” does not come in step: \(status.map { "\($0)" } ?? "it does not run"); "
                + "it said \(device.said.suffix(5))"
        )
    }
}

/// All that is below a folder, but for what saves leave: a file's text, "/" for a folder or a package.
struct FolderContents: Hashable, CustomStringConvertible {
    private(set) var texts: [String: String] = [:]

    /// - Parameter isAll: Whether what saves leave counts.
    init(of folder: URL, isAll: Bool = false) {
        let names = FileManager.default.enumerator(atPath: folder.path)
        while let name = names?.nextObject() as? String {
            if name.contains(".sheaf-"), !isAll { continue }
            let bytes = FileManager.default.contents(atPath: folder.appendingPathComponent(name).path)
            texts[name] = bytes.map { String(decoding: $0, as: UTF8.self) } ?? "/"
        }
    }

    /// What a document is: itself by an empty name, and what is in a package; of a folder only that it is there. Empty for
    /// nothing.
    func document(_ path: String) -> [String: String] {
        var found: [String: String] = [:]
        found[""] = texts[path]
        guard Self.isPackage(path) else { return found }
        for (name, text) in texts where name.hasPrefix(path + "/") {
            found[String(name.dropFirst(path.count))] = text
        }
        return found
    }

    static func isPackage(_ path: String) -> Bool { path.hasSuffix(".rtfd") }

    /// The documents and folders: what is in packages is not among them.
    var documents: [String] { texts.keys.filter { !$0.contains(".rtfd/") }.sorted() }

    func isFolder(_ path: String) -> Bool { texts[path] == "/" && !Self.isPackage(path) }

    var description: String {
        texts.sorted { $0.key < $1.key }.map { "\($0): \($1.prefix(12).debugDescription) (\($1.utf8.count))" }
            .joined(separator: ", ")
    }
}
