internal import CSQLite
internal import Glibc
internal import Locks

/// Says which of SQLite's reads and writes are refused.
package protocol SQLiteCallJudge: AnyObject, Sendable {
    /// The error number that a read of a file fails with; 0 for none. Called on the thread that reads, with SQLite's locks
    /// held.
    func judge(readOf path: String) -> CInt
    /// As of a read.
    func judge(writeTo path: String) -> CInt
}

/// Stands between SQLite and the volumes that it writes to, for tests: for all connections of this process.
///
/// SQLite makes its calls through a table of its own, https://sqlite.org/c3ref/vfs.html, in which a test may put others. What
/// is refused here fails in SQLite as if the kernel had refused it.
package enum SQLiteVolumes {
    private struct State {
        var isInPlace = false
        var judges: [any SQLiteCallJudge] = []
    }

    private static let state = Locked(State())

    /// Asks before every read and write from now on, until `remove`.
    ///
    /// - Throws: `SQLiteError` where this SQLite's calls cannot be exchanged.
    package static func add(_ judge: any SQLiteCallJudge) throws {
        try state.withLock { state in
            // Once in place it stays: another thread may be about to call it.
            if !state.isInPlace { try putInPlace() }
            state.isInPlace = true
            state.judges.append(judge)
        }
    }

    /// Asks no more.
    package static func remove(_ judge: any SQLiteCallJudge) {
        state.withLock { $0.judges.removeAll { $0 === judge } }
    }

    /// 64-bit Linux has one kind of offsets, so both names of a call are of one type.
    private typealias ReadCall = @convention(c) (CInt, UnsafeMutableRawPointer?, Int, off_t) -> Int
    private typealias WriteCall = @convention(c) (CInt, UnsafeRawPointer?, Int, off_t) -> Int

    private static let read: ReadCall = { file, bytes, byteCount, offset in
        let refusal = SQLiteVolumes.refusal(of: file) { $0.judge(readOf: $1) }
        guard refusal == 0 else {
            errno = refusal
            return -1
        }
        return Glibc.pread(file, bytes, byteCount, offset)
    }

    private static let write: WriteCall = { file, bytes, byteCount, offset in
        let refusal = SQLiteVolumes.refusal(of: file) { $0.judge(writeTo: $1) }
        guard refusal == 0 else {
            errno = refusal
            return -1
        }
        return Glibc.pwrite(file, bytes, byteCount, offset)
    }

    private static func putInPlace() throws {
        try exchange("pread", with: unsafeBitCast(read, to: sqlite3_syscall_ptr.self))
        try exchange("pwrite", with: unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
    }

    private static func exchange(_ name: String, with call: sqlite3_syscall_ptr) throws {
        guard let system = sqlite3_vfs_find(nil), let exchange = system.pointee.xSetSystemCall,
            let find = system.pointee.xGetSystemCall
        else { throw unsupported }
        // SQLite was built to use one of them; the other has no function.
        let names: [String] = [name, name + "64"].filter { (name: String) in find(system, name) != nil }
        let areTaken = names.allSatisfy { exchange(system, $0, call) == SQLITE_OK }
        guard !names.isEmpty, areTaken else { throw unsupported }
    }

    private static var unsupported: SQLiteError {
        SQLiteError(code: SQLITE_MISUSE, message: "its calls cannot be exchanged", path: "")
    }

    private static func refusal(of file: CInt, _ ask: (any SQLiteCallJudge, String) -> CInt) -> CInt {
        let judges = state.withLock { $0.judges }
        guard !judges.isEmpty else { return 0 }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let byteCount = readlink("/proc/self/fd/\(file)", &buffer, buffer.count)
        guard byteCount > 0 else { return 0 }
        let path = String(decoding: buffer[..<byteCount].map(UInt8.init(bitPattern:)), as: UTF8.self)
        for judge in judges {
            let refusal = ask(judge, path)
            if refusal != 0 { return refusal }
        }
        return 0
    }
}
