internal import CSQLite
internal import Glibc
internal import Locks

/// Says which of SQLite's writes are refused.
package protocol SQLiteWriteJudge: AnyObject, Sendable {
    /// The error number that a write to a file fails with; 0 for none. Called on the thread that writes, with SQLite's locks
    /// held.
    func judge(writeTo path: String) -> CInt
}

/// Stands between SQLite and the volumes that it writes to, for tests: for all connections of this process.
///
/// SQLite makes its calls through a table of its own, https://sqlite.org/c3ref/vfs.html, in which a test may put others. What
/// is refused here fails in SQLite as if the kernel had refused it.
package enum SQLiteVolumes {
    private struct State {
        var isInPlace = false
        var judges: [any SQLiteWriteJudge] = []
    }

    private static let state = Locked(State())

    /// Asks before every write from now on, until `remove`.
    ///
    /// - Throws: `SQLiteError` where this SQLite's calls cannot be exchanged.
    package static func add(_ judge: any SQLiteWriteJudge) throws {
        try state.withLock { state in
            // Once in place it stays: another thread may be about to call it.
            if !state.isInPlace { try putInPlace() }
            state.isInPlace = true
            state.judges.append(judge)
        }
    }

    /// Asks no more.
    package static func remove(_ judge: any SQLiteWriteJudge) {
        state.withLock { $0.judges.removeAll { $0 === judge } }
    }

    /// 64-bit Linux has one kind of offsets, so both names of the call are of one type.
    private typealias WriteCall = @convention(c) (CInt, UnsafeRawPointer?, Int, off_t) -> Int

    private static let write: WriteCall = { file, bytes, byteCount, offset in
        let refusal = SQLiteVolumes.refusal(of: file)
        guard refusal == 0 else {
            errno = refusal
            return -1
        }
        return Glibc.pwrite(file, bytes, byteCount, offset)
    }

    private static func putInPlace() throws {
        guard let system = sqlite3_vfs_find(nil), let exchange = system.pointee.xSetSystemCall,
            let find = system.pointee.xGetSystemCall
        else { throw unsupported }
        let call = unsafeBitCast(write, to: sqlite3_syscall_ptr.self)
        // SQLite was built to use one of them; the other has no function.
        let names: [String] = ["pwrite", "pwrite64"].filter { (name: String) in find(system, name) != nil }
        let areTaken = names.allSatisfy { exchange(system, $0, call) == SQLITE_OK }
        guard !names.isEmpty, areTaken else { throw unsupported }
    }

    private static var unsupported: SQLiteError {
        SQLiteError(code: SQLITE_MISUSE, message: "its calls cannot be exchanged", path: "")
    }

    private static func refusal(of file: CInt) -> CInt {
        let judges = state.withLock { $0.judges }
        guard !judges.isEmpty else { return 0 }
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let byteCount = readlink("/proc/self/fd/\(file)", &buffer, buffer.count)
        guard byteCount > 0 else { return 0 }
        let path = String(decoding: buffer[..<byteCount].map(UInt8.init(bitPattern:)), as: UTF8.self)
        return judges.lazy.map { $0.judge(writeTo: path) }.first { $0 != 0 } ?? 0
    }
}
