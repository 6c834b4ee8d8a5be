import CrashHarness
import FileSystem
import Foundation
import TestThreads
import Testing
import VaultHarness

@testable import Vault

@Suite("Files with holes", .onOwnThreads, .timeLimit(.minutes(2)))
struct SparseFileTests {
    private let bench: VaultBench

    init() throws { bench = try VaultBench() }

    /// A file with so many bytes, and as many set aside for it.
    private func makeSparse(_ byteCount: Int, there: Int) throws {
        try VaultBench.noise(there, seed: 3).write(to: bench.document().url(isDirectory: false))
        let file = try FileHandle(forUpdating: bench.document().url(isDirectory: false))
        try file.truncate(atOffset: UInt64(byteCount))
        try file.close()
    }

    private func keep(_ sparse: (byteCountMin: Int64, factor: Int64)) throws -> FileKeeper.Outcome {
        var keeper = FileKeeper(session: try KeepSession(store: bench.vault.store))
        keeper.sparse = sparse
        return try keeper.keep("document", in: try SourceFolder(at: bench.scratch.path))
    }

    @Test("A file that is nearly all holes is refused, and a large one at once", arguments: [0, 1 << 20])
    func holes(there: Int) throws {
        try makeSparse(1 << 40, there: there)
        let error = #expect(throws: VaultError.self) {
            try FileKeeper(session: try KeepSession(store: bench.vault.store))
                .keep("document", in: try SourceFolder(at: bench.scratch.path))
        }
        #expect(error?.code == .sparse)
        #expect(error?.description.contains("1024 GiB") == true, "\(String(describing: error))")
    }

    @Test("One that is short, or of which a tenth is there, is kept")
    func sane() throws {
        try makeSparse(10 << 20, there: 1 << 20)
        #expect(try keep((byteCountMin: 1 << 20, factor: 16)).byteCount == 10 << 20)
        #expect(throws: VaultError.self) { try keep((byteCountMin: 1 << 20, factor: 4)) }
        #expect(try keep((byteCountMin: 10 << 20, factor: 4)).byteCount == 10 << 20)
    }
}
