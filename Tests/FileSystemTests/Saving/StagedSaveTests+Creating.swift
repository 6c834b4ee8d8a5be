import CrashHarness
import FileSystem
import Foundation
import Locks
import Testing

extension StagedSaveTests {
    /// A volume, as some in user space are, that renames only over what is there and links nothing.
    private final class RenamesOnly: SystemCallObserver {
        private let hasRefused = Locked(false)

        func willMake(_ call: SystemCall) -> CInt {
            if call.name == "linkat" { return EPERM }
            guard call.name == "renameat2" else { return 0 }
            return hasRefused.withLock { hasRefused in
                defer { hasRefused = true }
                return hasRefused ? 0 : EINVAL
            }
        }
        func didMake(_ call: SystemCall) {}
    }

    @Test(
        "An item that must not exist is made where there are neither links nor careful renames",
        arguments: [false, true]
    )
    func createdWithoutLinks(isTaken: Bool) throws {
        let save = try StagedSave(item: item, mustNotExist: true)
        try save.write(Data("new".utf8))
        if isTaken { try DiskTree.file("other").write(to: item) }
        let outcome = Result {
            try SystemCallObservation.withObserver(RenamesOnly()) { _ = try save.commit() }
        }
        if isTaken {
            #expect { try outcome.get() } throws: { ($0 as? SystemError)?.errno == EEXIST }
        } else {
            try outcome.get()
        }
        #expect(try scratch.tree() == ["item.doc": isTaken ? "other" : "new"])
    }
}
