internal import Foundation

/// A rebuild's record in the staging, for whoever comes after a crash.
///
/// It is synced only where the whole volume is: without it, or with half of it, an old tree is removed unseen.
enum RebuildNote {
    static let name = ".sheaf-rebuild"
    private static let heading = "sheaf rebuild 1"
    private static let end = "end"

    /// What a field begins with that tells what follows it.
    private enum Sign {
        static let folder = "f", member = "m", leaving = "l"
    }

    static func write(_ record: RebuildRecord, in staging: Folder) throws(SystemError) {
        let inode = try SystemCalls.fstat(staging.descriptor).stamp.inode
        let file = try SystemCalls.openat(staging, name, O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600)
        try SystemCalls.write(bytes(of: record, stagingInode: inode), to: file)
    }

    /// The record in a staging folder; nil when there is none, it is not whole, or it is not about this very folder.
    static func read(in staging: Folder) throws(SystemError) -> RebuildRecord? {
        let bytes: Data
        do {
            let file = try SystemCalls.openat(staging, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
            let byteCount = try SystemCalls.fstat(file).stamp.byteCount
            bytes = try FileReading.bytes(of: file, expectedByteCount: Int(byteCount))
        } catch {
            guard error.errno == ENOENT else { throw error }
            return nil
        }
        return record(bytes, stagingInode: try SystemCalls.fstat(staging.descriptor).stamp.inode)
    }

    /// Fields that each end with a NUL, which no name holds.
    static func bytes(of record: RebuildRecord, stagingInode: UInt64) -> Data {
        var bytes: [UInt8] = []
        func add(_ text: String) {
            bytes.append(contentsOf: text.utf8)
            bytes.append(0)
        }
        func add(_ number: some BinaryInteger) { add(String(number)) }
        add(heading)
        add(stagingInode)
        add(record.target.description)
        for (path, folder) in record.folders {
            add(Sign.folder)
            add(path.description)
            add(folder.device)
            add(folder.inode)
            for time in [folder.modified, folder.changed] {
                add(time.seconds)
                add(time.nanoseconds)
            }
            add(folder.newInode)
            add(folder.isChanging ? 1 : 0)
            for (name, member) in folder.members {
                add(Sign.member)
                add(name)
                add(member.old)
                add(member.new.map { String($0) } ?? "")
            }
            for (name, inode) in folder.leaving {
                add(Sign.leaving)
                add(name)
                add(inode)
            }
        }
        add(end)
        return Data(bytes)
    }

    static func record(_ bytes: Data, stagingInode: UInt64) -> RebuildRecord? {
        var fields = Fields(rest: bytes.split(separator: 0, omittingEmptySubsequences: false)[...])
        guard fields.text() == heading, fields.number() == stagingInode, let target = fields.path() else {
            return nil
        }
        var record = RebuildRecord(target: target)
        var path = MemberPath.top
        while let sign = fields.text() {
            switch sign {
            case end: return fields.isAtEnd && record.folders[.top] != nil ? record : nil
            case Sign.folder:
                guard let place = fields.path(), let folder = fields.folder() else { return nil }
                path = place
                record.folders[path] = folder
            case Sign.member:
                guard let name = fields.name(), let old: UInt64 = fields.number(), let new = fields.text(),
                    new.isEmpty || UInt64(new) != nil
                else { return nil }
                record.folders[path]?.members[name] = RebuildRecord.Member(old: old, new: UInt64(new))
            case Sign.leaving:
                guard let name = fields.name(), let inode: UInt64 = fields.number() else { return nil }
                record.folders[path]?.leaving[name] = inode
            default: return nil
            }
        }
        return nil
    }

    /// What is left of a note to be read.
    private struct Fields {
        var rest: ArraySlice<Data>

        /// Nothing follows the last NUL.
        var isAtEnd: Bool { rest.count == 1 && rest.first?.isEmpty == true }

        mutating func text() -> String? {
            rest.popFirst().flatMap { String(validating: $0, as: UTF8.self) }
        }

        mutating func number<Number: FixedWidthInteger>() -> Number? { text().flatMap { Number($0) } }

        mutating func name() -> String? { text().flatMap { MemberPath.isName($0) ? $0 : nil } }

        mutating func path() -> MemberPath? {
            text().flatMap { MemberPath($0.pathNames) }
        }

        private mutating func time() -> FileTime? {
            guard let seconds: Int64 = number(), let nanoseconds: Int64 = number() else { return nil }
            return FileTime(seconds: seconds, nanoseconds: nanoseconds)
        }

        mutating func folder() -> RebuildRecord.Listed? {
            guard let device: UInt64 = number(), let inode: UInt64 = number(), let modified = time(),
                let changed = time(), let newInode: UInt64 = number(), let isChanging = text()
            else { return nil }
            return RebuildRecord.Listed(
                device: device,
                inode: inode,
                modified: modified,
                changed: changed,
                newInode: newInode,
                isChanging: isChanging != "0"
            )
        }
    }
}
