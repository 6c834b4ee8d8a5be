internal import CLinux
package import FileSystem
package import Foundation

/// What is on a disk: one way that it can look after a power cut.
package struct DiskState: Sendable {
    private let root: UInt64
    private let nodes: [UInt64: DiskNode]
    private let members: [UInt64: [(name: String, node: UInt64)]]

    init(root: UInt64, nodes: [UInt64: DiskNode], names: [DiskName: UInt64]) {
        (self.root, self.nodes) = (root, nodes)
        var members: [UInt64: [(name: String, node: UInt64)]] = [:]
        for (name, node) in names { members[name.folder, default: []].append((name.name, node)) }
        self.members = members.mapValues { $0.sorted { $0.name < $1.name } }
    }

    /// Everything below the top by its path, what comes first before what is in it.
    package var places: [(path: String, number: UInt64, node: DiskNode)] {
        var places: [(path: String, number: UInt64, node: DiskNode)] = []
        func add(_ folder: UInt64, _ path: String) {
            for (name, number) in members[folder] ?? [] {
                guard let node = nodes[number] else { continue }
                let place = path.isEmpty ? name : path + "/" + name
                places.append((place, number, node))
                if node.kind == .folder { add(number, place) }
            }
        }
        add(root, "")
        return places
    }

    /// Files by their paths, folders without bytes.
    package var files: [String: Data?] {
        var files: [String: Data?] = [:]
        for place in places {
            switch place.node.kind {
            case .file: files[place.path] = .some(place.node.bytes)
            case .folder: files[place.path] = .some(nil)
            case .link: break
            }
        }
        return files
    }

    /// Puts it up in a folder, with all that files bear.
    ///
    /// - Parameter isLeftOut: Tells by its path what is not to be there.
    package func write(to folder: FilePath, leavingOut isLeftOut: (String) -> Bool) throws {
        var written: [UInt64: String] = [:]
        let places = places.filter { !isLeftOut($0.path) }
        for place in places {
            let path = folder.appending(place.path).string
            if let former = written[place.number] {
                guard link(former, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
                continue
            }
            written[place.number] = path
            switch place.node.kind {
            case .folder:
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .link(let text):
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: text)
            case .file:
                guard FileManager.default.createFile(atPath: path, contents: place.node.bytes) else {
                    throw CocoaError(.fileWriteUnknown)
                }
            }
        }
        // What is in a folder comes before its date.
        for place in places.reversed() { try dress(folder.appending(place.path).string, place.node) }
        if let top = nodes[root] { try dress(folder.string, top) }
    }

    private func dress(_ path: String, _ node: DiskNode) throws {
        if case .link = node.kind { return }
        for (name, value) in node.attributes {
            let result = value.withUnsafeBytes { setxattr(path, name, $0.baseAddress, $0.count, 0) }
            guard result == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
        guard let status = node.status else { return }
        let modified = timespec(
            tv_sec: Int(status.modified / 1_000_000_000),
            tv_nsec: Int(status.modified % 1_000_000_000)
        )
        guard utimensat(AT_FDCWD, path, [modified, modified], 0) == 0,
            chmod(path, mode_t(status.permissions)) == 0
        else { throw CocoaError(.fileWriteUnknown) }
    }
}
