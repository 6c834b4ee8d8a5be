internal import FileSystem
internal import Foundation

/// A member as the listing of its directory names it.
struct ListedMember {
    let name: String
    let kind: FileStamp.Kind

    /// The members of a directory.
    ///
    /// - Throws: `EOPNOTSUPP` for a directory that holds what no wrapper can stand for, a socket for one:
    ///   left out, it would be gone after the next save.
    static func list(_ path: FilePath) throws(SystemError) -> [ListedMember] {
        var members: [ListedMember] = []
        for entry in try FileReading.entries(in: path) {
            var kind = entry.kind
            if kind == nil { kind = try FileStamp(of: path.appending(entry.name)).kind }
            guard let kind, kind != .other else {
                throw SystemError(call: "getdents", errno: EOPNOTSUPP, path: path.appending(entry.name))
            }
            members.append(ListedMember(name: entry.name, kind: kind))
        }
        return members
    }
}

/// What was found at a place: the top of a tree, and if it is a directory, the names in it.
struct WrapperReading {
    let state: WrapperState
    let record: DiskRecord
    let stamp: FileStamp
    let members: [ListedMember]?

    /// Looks at a place.
    ///
    /// Touches the item itself and, of a directory, the names in it.
    init(of url: URL, options: FileWrapper.ReadingOptions) throws {
        guard let path = FilePath(url) else {
            throw CocoaError(.fileReadUnsupportedScheme, userInfo: [NSURLErrorKey: url])
        }
        do throws(SystemError) {
            try self.init(at: path, mapsFiles: !options.contains(.withoutMapping))
        } catch {
            throw CocoaError(error, while: .reading, url: url)
        }
    }

    private init(at path: FilePath, mapsFiles: Bool) throws(SystemError) {
        let origin = DiskOrigin(itemPath: path, readAt: Date.now.nanoseconds, mapsFiles: mapsFiles)
        stamp = try FileStamp(of: path)
        guard let contents = WrapperContents(unreadOf: stamp.kind) else {
            throw SystemError(call: "open", errno: EOPNOTSUPP, path: path)
        }
        members = stamp.kind == .directory ? try ListedMember.list(path) : nil
        if stamp.kind == .regular, !FileManager.default.isReadableFile(atPath: path.string) {
            throw SystemError(call: "access", errno: EACCES, path: path)
        }
        record = DiskRecord(origin: origin, folder: nil, name: path.name, mark: .stamped(stamp))
        state = WrapperState(contents, name: path.name, record: record)
    }
}

extension Date {
    /// Nanoseconds since 1970.
    var nanoseconds: Int64 { Int64(timeIntervalSince1970 * 1e9) }
}
