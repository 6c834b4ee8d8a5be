import Foundation
import Glibc

/// Where the benchmarks write: a folder on the disk, empty at the start of each group.
///
/// Nothing is removed before all is measured: for minutes after, ext4 without a journal is slow to make files,
/// as it looks for numbers that were not in use lately.
struct WorkFolder {
    let url: URL

    init(_ url: URL) throws {
        self.url = url
        try? FileManager.default.removeItem(at: url)  // the first run has none
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    var path: String { url.path }

    func item(_ name: String) -> URL { url.appendingPathComponent(name) }

    func remove() throws {
        try FileManager.default.removeItem(at: url)
    }

    /// Makes a package of folders with equally many members in each, all of one size.
    func makePackage(_ name: String, folders: Int, membersInEach: Int, byteCount: Int = 1024) throws -> URL {
        let package = item(name)
        for folder in 0..<folders {
            let place = package.appendingPathComponent(Self.folderName(folder))
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for member in 0..<membersInEach {
                let data = Self.bytes(byteCount, seed: folder &* 1000 &+ member)
                try Self.makeFile(place.path + "/" + Self.memberName(member), data)
            }
        }
        sync()
        return package
    }

    static func folderName(_ number: Int) -> String { String(format: "folder-%03d", number) }
    static func memberName(_ number: Int) -> String { String(format: "member-%04d.txt", number) }

    /// Makes folders of empty files: what is only looked at needs no contents.
    func makeTree(_ name: String, folders: Int, filesInEach: Int) throws -> URL {
        let tree = item(name)
        for folder in 0..<folders {
            let place = tree.appendingPathComponent(Self.folderName(folder))
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for member in 0..<filesInEach {
                try Self.makeFile(place.path + "/" + Self.memberName(member), Data())
            }
        }
        sync()
        return tree
    }

    /// Makes a file, without waiting for the disk: what Foundation writes it makes durable each time.
    static func makeFile(_ path: String, _ bytes: Data) throws {
        let file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw BenchmarkFailure.call("open", path) }
        defer { close(file) }
        let count = bytes.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw BenchmarkFailure.call("write", path) }
    }

    /// Bytes that differ from one seed to the next.
    static func bytes(_ count: Int, seed: Int) -> Data {
        var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
            for index in 0..<count {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes[index] = UInt8(truncatingIfNeeded: state >> 56)
            }
            initializedCount = count
        }
        return Data(bytes)
    }
}
