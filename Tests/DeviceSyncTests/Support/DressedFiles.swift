import CLinux
import DeviceSync
import DocumentTesting
import FileSystem
import Foundation
import Testing

/// What tests give files in a device's folder beside their bytes, and what they find there.
extension TestDevice {
    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    /// - Parameter value: Nil for: not any more.
    func setAttribute(_ attribute: String, to value: String?, of name: String) throws {
        let path = path(name)
        let outcome =
            value.map { CLinux.setxattr(path, attribute, $0, $0.utf8.count, 0) }
            ?? CLinux.removexattr(path, attribute)
        try #require(outcome == 0, "\(name): \(errno)")
    }

    func setPermissions(_ permissions: UInt32, of name: String) throws {
        try #require(chmod(path(name), permissions) == 0, "\(name): \(errno)")
    }

    /// Has a file be as old as another, to the nanosecond: the dates of a package's files are part of it.
    static func setDate(of path: String, like other: String) throws {
        var status = stat()
        try #require(stat(other, &status) == 0, "\(other): \(errno)")
        let times = [status.st_atim, status.st_mtim]
        try #require(utimensat(AT_FDCWD, path, times, 0) == 0, "\(path): \(errno)")
    }

    func makeLink(_ name: String, to text: String) throws {
        try #require(symlink(text, path(name)) == 0, "\(name): \(errno)")
    }

    func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    }

    /// All that an item is, in a line: permissions, attributes but the mark, and what is in it.
    func description(of name: String) -> String {
        let place = FilePath(path(name))
        guard let stamp = try? FileStamp(of: place) else { return "nothing" }
        switch stamp.kind {
        case .symbolicLink: return "link to \((try? FileReading.symbolicLinkText(at: place)) ?? "?")"
        case .directory: return "\(dress(of: place, stamp)) folder"
        case .regular, .other: return "\(dress(of: place, stamp)) \(text(name) ?? "?")"
        }
    }

    private func dress(of place: FilePath, _ stamp: FileStamp) -> String {
        var names = [CChar](repeating: 0, count: 4096)
        let byteCount = CLinux.llistxattr(place.string, &names, names.count)
        let attributes = names.prefix(max(0, byteCount)).split(separator: 0).map {
            String(decoding: $0.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        let values = attributes.filter { $0.hasPrefix("user.") && $0 != FileMark.attributeName }.sorted().map
        {
            "\($0)=\(value(of: $0, at: place))"
        }
        return ([String(stamp.permissions, radix: 8)] + values).joined(separator: " ")
    }

    private func value(of attribute: String, at place: FilePath) -> String {
        var value = [UInt8](repeating: 0, count: 4096)
        let byteCount = CLinux.lgetxattr(place.string, attribute, &value, value.count)
        return String(decoding: value.prefix(max(0, byteCount)), as: UTF8.self)
    }

    /// The inode that has a name.
    func inode(_ name: String) throws -> UInt64 { try FileStamp(of: FilePath(path(name))).inode }

    /// All paths below the folder with all that is there.
    var descriptions: [String: String] {
        Dictionary(uniqueKeysWithValues: contents.keys.map { ($0, description(of: $0)) })
    }
}

extension DevicePair {
    /// Waits until both devices have the same, and this, and say that they are in step.
    func expectBoth(_ items: [String: String], _ location: SourceLocation = #_sourceLocation) {
        let isSo = two.wait {
            one.descriptions == items && two.descriptions == items
                && [one, two].allSatisfy { $0.isInStep(at: hub.entryCount) }
        }
        #expect(
            isSo,
            """
            \(one.descriptions) and \(two.descriptions); \(one.said) and \(two.said); \(String(describing: one.status)) and \
            \(String(describing: two.status))
            """,
            sourceLocation: location
        )
    }

    /// That nobody has anything to say of what is there: after a start, too, which looks at all of it.
    func expectRest(_ location: SourceLocation = #_sourceLocation) throws {
        let entryCount = hub.entryCount
        for device in [one, two] {
            device.stop()
            try device.start()
        }
        for device in [one, two] {
            #expect(device.wait { device.running?.isInStepNow == true }, sourceLocation: location)
        }
        #expect(hub.entryCount == entryCount, "\(one.said) and \(two.said)", sourceLocation: location)
    }
}
