import FileSystem
import Foundation
import TestThreads
import Testing

@testable import DeviceSync

@Suite("Why a disk refuses", .onOwnThreads)
struct DiskRefusalTests {
    private func refusal(_ call: String, _ errno: CInt) -> DiskRefusal {
        DiskRefusal(SystemError(call: call, errno: errno, path: FilePath("/somewhere")))
    }

    @Test("A name that is not UTF-8 and a link to one are two things, each with a remedy of its own")
    func noUTF8() {
        #expect(refusal("getdents", EILSEQ).cause == .nameHere)
        #expect(refusal("readlinkat", EILSEQ).cause == .linkHere)
        #expect(refusal("readlinkat", EACCES).cause == .other)
        #expect(refusal("readlinkat", EILSEQ).remedy?.contains("lead elsewhere") == true)
        #expect(refusal("readlinkat", EILSEQ).description.contains("lead elsewhere"))
    }

    @Test("No room for a file, none for a watch and a fault are three things, each with a remedy of its own")
    func causes() {
        #expect(refusal("pwrite", ENOSPC).cause == .full && refusal("pwrite", EDQUOT).cause == .full)
        #expect(refusal("inotify_add_watch", ENOSPC).cause == .watches)
        #expect(
            refusal("inotify_add_watch", EIO).cause == .failing && refusal("openat", EIO).cause == .failing
        )
        #expect(refusal("openat", EACCES).cause == .other && refusal("openat", EACCES).remedy == nil)
        // For want of queues, nothing is watched by anybody; no document is in the way.
        let queues = refusal("inotify_init1", EMFILE)
        #expect(queues.cause == .watches && queues.remedy?.contains("max_user_instances") == true)
        #expect("\(queues)".contains("max_user_instances") && !"\(queues)".contains("documents"))
        #expect(
            DiskRefusal("Something", SystemError(call: "inotify_init1", errno: EMFILE, path: FilePath("/a")))
                .remedy == queues.remedy
        )
        #expect("\(refusal("inotify_add_watch", ENOSPC))".contains("max_user_watches"))
        #expect(refusal("openat", EMFILE).cause == .other)
        let remedies = [
            refusal("pwrite", ENOSPC), refusal("inotify_add_watch", ENOSPC), refusal("openat", EIO),
        ]
        .compactMap(\.remedy)
        #expect(Set(remedies).count == 3 && remedies[1].contains("max_user_watches"))
    }

    @Test(
        "A volume that may not be written to, and a path that is too long, are told from what is in the way, and from names"
    )
    func readOnlyAndLong() {
        #expect(refusal("renameat2", EROFS).cause == .readOnly)
        #expect(refusal("renameat2", EROFS).remedy?.contains("mount it so that it may") == true)
        let folders = String(repeating: "/a folder", count: 500)
        let long = DiskRefusal(SystemError(call: "openat", errno: ENAMETOOLONG, path: FilePath(folders)))
        #expect(long.cause == .path && long.remedy?.contains("folders above it") == true)
        #expect(long.description.contains("longer than the 4095 bytes"), "\(long)")
        #expect(refusal("openat", ENAMETOOLONG).cause == .name)
    }

    @Test("Of a full disk it is no news which file has no room; of names and of what else there is, it is")
    func news() {
        #expect(refusal("pwrite", ENOSPC).isSaid(by: refusal("openat", ENOSPC)))
        #expect(!refusal("pwrite", ENOSPC).isSaid(by: refusal("pwrite", EIO)))
        #expect(!refusal("pwrite", ENOSPC).isSaid(by: nil))
        #expect(!refusal("getdents", EILSEQ).isSaid(by: refusal("openat", EILSEQ)))
        #expect(refusal("openat", EACCES).isSaid(by: refusal("openat", EACCES)))
        #expect(!refusal("openat", EACCES).isSaid(by: refusal("pwrite", EACCES)))
    }
}
