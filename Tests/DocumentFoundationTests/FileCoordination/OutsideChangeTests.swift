import DocumentFoundation
import FileSystem
import Foundation
import TestFolders
import TestThreads
import Testing

/// What presenters hear of those who coordinate nothing.
@Suite("Presenters and outsiders", .onOwnThreads, .serialized, .timeLimit(.minutes(2)))
struct OutsideChangeTests {
    /// Whether events come by the queue that takes a privilege, which few who run this have.
    static let means = geteuid() == 0 ? [false, true] : [false]

    private func scene(_ usesPrivilege: Bool) throws -> CoordinationScene {
        try CoordinationScene(hearing: FileEvents(usesPrivilege: usesPrivilege))
    }

    private func move(_ source: URL, _ target: URL) {
        #expect(rename(source.path, target.path) == 0)
    }

    /// Runs a shell's line in a folder, and waits for its end.
    private func shell(_ line: String, in folder: URL) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = folder
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
    }

    /// Of these a look finds what was there before, or what is there in the end, and nothing in between.
    private static let singleSteps = [
        "echo new > a", "echo more >> a", "echo new > t && mv t a", "sed -i s/1/2/ a",
        "touch -d 2001-01-01 a",
        "chmod 600 a", "cp /etc/hostname a",
        // Who has the file open is waited for.
        "(echo 1; sleep .01; echo 2; sleep .01; echo 3) > a",
        "exec 3> a; sleep .06; echo new >&3; sleep .01; echo more >&3",
    ]

    @Test("A file written by a program in one step is one change", arguments: singleSteps, means)
    func written(_ line: String, _ usesPrivilege: Bool) throws {
        let (changes, _) = try changes(by: line, usesPrivilege)
        #expect(changes == ["p changed"])
    }

    @Test(
        "A file written by a program in several steps is one change: its name, or its bytes, are back soon",
        arguments: [
            "mv a a~ && echo new > a && rm a~", "rm a && echo new > a", ": > a; echo new >> a",
            ": > a; sleep .01; echo new >> a",
        ],
        means
    )
    func writtenInSteps(_ line: String, _ usesPrivilege: Bool) throws {
        for _ in 1... {
            let (changes, seconds) = try changes(by: line, usesPrivilege)
            // A shell that comes to a halt between two steps has made two changes.
            guard seconds >= EventFolding.settleSeconds else {
                #expect(changes == ["p changed"])
                break
            }
            #expect(changes.contains("p changed"))
            #expect(changes.count <= 2)
        }
    }

    /// What a presenter of a file hears of what a shell does to it, and how long the shell took, at most.
    private func changes(by line: String, _ usesPrivilege: Bool) throws -> ([String], seconds: Double) {
        let scene = try scene(usesPrivilege)
        let url = try scene.write("a")
        let presenter = scene.presenter("p", of: url)
        let start = DispatchTime.now().uptimeNanoseconds
        try shell(line, in: scene.folder)
        let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
        #expect(scene.until { scene.story.contains("p changed") })
        // What happens to another file afterwards is told last, and nothing else before it.
        let other = try scene.write("b")
        let last = scene.presenter("last", of: other)
        try shell("echo end > b", in: scene.folder)
        #expect(scene.until { scene.story.contains("last changed") })
        presenter.settle()
        last.settle()
        return (scene.story.filter { $0 != "last changed" }, seconds)
    }

    @Test(
        "Five appends that nobody can look between are one change, and each of those further apart is one at most",
        arguments: means
    )
    func appended(_ usesPrivilege: Bool) throws {
        for _ in 1... {
            let scene = try scene(usesPrivilege)
            let url = try scene.write("a")
            let presenter = scene.presenter("p", of: url)
            let start = DispatchTime.now().uptimeNanoseconds
            for _ in 1...5 {
                let file = open(url.path, O_WRONLY | O_APPEND | O_CLOEXEC)
                #expect(write(file, "1", 1) == 1)
                close(file)
            }
            let seconds = Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9
            #expect(scene.until { scene.story.contains("p changed") })
            let last = scene.presenter("last", of: try scene.write("b"))
            try shell("echo end > b", in: scene.folder)
            #expect(scene.until { scene.story.contains("last changed") })
            for presenter in [presenter, last] { presenter.settle() }
            #expect(scene.story.count <= 6, "\(scene.story)")
            guard seconds >= EventFolding.quietSeconds else {
                #expect(scene.story == ["p changed", "last changed"])
                break
            }
        }
    }

    @Test("A file that stays empty is told of all the same", arguments: means)
    func emptied(_ usesPrivilege: Bool) throws {
        let (changes, _) = try changes(by: ": > a", usesPrivilege)
        #expect(changes == ["p changed"])
    }

    @Test("Moves are followed, of the item and of a folder above it, and removal is told", arguments: means)
    func moved(_ usesPrivilege: Bool) throws {
        let scene = try scene(usesPrivilege)
        // What no other test's file holds: a lone file of the same bytes on another volume may be taken for a copy.
        let url = try scene.write("x/y/a", UUID().uuidString)
        let presenter = scene.presenter("p", of: url)
        move(url, scene.url("x/y/b"))
        #expect(scene.until { presenter.presentedItemURL == scene.url("x/y/b") })
        move(scene.url("x"), scene.url("z"))
        #expect(scene.until { presenter.presentedItemURL == scene.url("z/y/b") })
        #expect(unlink(scene.url("z/y/b").path) == 0)
        #expect(scene.until { scene.story.last == "p deletion" })
        _ = try scene.write("z/y/b", "again")
        #expect(scene.until { scene.story.last == "p changed" })
        #expect(scene.story == ["p moved to b", "p moved to b", "p deletion", "p changed"])
    }

    @Test("A whole folder removed with what is in it", arguments: means)
    func folderRemoved(_ usesPrivilege: Bool) throws {
        let scene = try scene(usesPrivilege)
        let first = scene.presenter("first", of: try scene.write("x/a", UUID().uuidString))
        let second = scene.presenter("second", of: try scene.write("x/y/b", UUID().uuidString))
        try shell("rm -r x", in: scene.folder)
        #expect(scene.until { Set(scene.story) == ["first deletion", "second deletion"] })
        _ = (first, second)
    }

    @Test("A directory's presenter hears of what is in it at any depth", arguments: means)
    func directory(_ usesPrivilege: Bool) throws {
        let scene = try scene(usesPrivilege)
        _ = try scene.write("d/sub/old")
        let presenter = scene.presenter("p", of: scene.url("d"))
        func expect(_ told: String, _ line: String) throws {
            try shell(line, in: scene.folder)
            #expect(scene.until { scene.story.contains(told) }, "\(told), but \(scene.story)")
        }
        // Whole at once and from where nobody looks: a file that is made and then written is changed twice.
        let aside = try TestFolder("aside")
        func put(_ name: String) -> String {
            "echo 1 > '\(aside.path)/new' && mv '\(aside.path)/new' \(name)"
        }
        try expect("p appeared a", put("d/a"))
        try expect("p changed a", "echo 22 > d/a")
        try expect("p changed old", "echo 22 > d/sub/old")
        try expect("p moved a to b", "mv d/a d/sub/b")
        try expect("p appeared new", "mkdir d/new")
        try expect("p appeared c", put("d/new/c"))
        try expect("p changed c", "rm d/new/c")
        presenter.settle()
        #expect(scene.story.count == 7, "\(scene.story)")
    }

    @Test("What coordinated writers do is told once, and not to the one who did it", arguments: means)
    func coordinated(_ usesPrivilege: Bool) throws {
        let scene = try scene(usesPrivilege)
        let url = try scene.write("d/a")
        let owner = scene.presenter("owner", of: url)
        let other = scene.presenter("other", of: url)
        let around = scene.presenter("around", of: scene.url("d"))
        for text in ["22", "333"] {
            scene.write(at: url, by: scene.coordinator(for: owner)) { place in
                try? Data(text.utf8).write(to: place, options: .atomic)
            }
        }
        // Everything before an outsider's change has been looked at when that is told.
        try shell("echo end > d/end", in: scene.folder)
        #expect(scene.until { scene.story.contains("around appeared end") })
        for presenter in [owner, other, around] { presenter.settle() }
        let heard = scene.story.filter { $0.contains("change") }
        #expect(heard.filter { $0 == "owner changed" }.isEmpty)
        #expect(heard.filter { $0 == "other changed" }.count == 2)
        #expect(heard.filter { $0 == "around changed a" }.count == 2)
    }

    @Test(
        "An item moved onto another: the one's presenter follows, the other's hears of a change",
        arguments: means
    )
    func movedOnto(_ usesPrivilege: Bool) throws {
        let scene = try scene(usesPrivilege)
        let first = scene.presenter("first", of: try scene.write("a", "1"))
        let second = scene.presenter("second", of: try scene.write("b", "22"))
        move(scene.url("a"), scene.url("b"))
        #expect(scene.until { Set(scene.story) == ["first moved to b", "second changed"] })
        try shell("echo more >> b", in: scene.folder)
        let isHeard = scene.until { scene.story.filter { $0.hasSuffix(" changed") }.count == 3 }
        #expect(isHeard, "\(scene.story)")
        for presenter in [first, second] { presenter.settle() }
        #expect(
            scene.story.sorted() == ["first changed", "first moved to b", "second changed", "second changed"]
        )
    }

    @Test("A removed presenter hears nothing more, and is let go of", arguments: means)
    func removed(_ usesPrivilege: Bool) throws {
        let scene = try scene(usesPrivilege)
        let url = try scene.write("a")
        weak var gone: ScenePresenter?
        do {
            let presenter = scene.presenter("p", of: url)
            gone = presenter
            scene.registry.remove(presenter)
        }
        let last = scene.presenter("last", of: try scene.write("b"))
        try shell("echo 2 > a; echo 2 > b", in: scene.folder)
        #expect(scene.until { scene.story == ["last changed"] })
        #expect(gone == nil)
        _ = last
    }
}
