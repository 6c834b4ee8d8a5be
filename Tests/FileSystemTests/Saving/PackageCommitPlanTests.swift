import TestThreads
import Testing

@testable import FileSystem

@Suite("PackageCommitPlan", .onOwnThreads)
struct PackageCommitPlanTests {
    func member(_ path: String) -> MemberPath {
        path.split(separator: "/").reduce(.top) { $0.appending(String($1)) ?? $0 }
    }

    func plan(_ placed: [String], _ removed: [String] = []) -> PackageCommitPlan {
        PackageCommitPlan(
            placements: placed.map { .init(path: member($0), isFolder: false, replaced: nil) },
            removed: Dictionary(uniqueKeysWithValues: removed.map { (member($0), .regular) })
        )
    }

    @Test("One change is made where it is")
    func one() {
        #expect(plan([]) == .nothing)
        #expect(plan(["a/b"]) == .place(.init(path: member("a/b"), isFolder: false, replaced: nil)))
        #expect(plan([], ["a/b"]) == .remove(member("a/b"), isFolder: false))
    }

    @Test("More changes rebuild the smallest folder that holds them all")
    func more() {
        #expect(plan(["a/b/c", "a/b/d"]) == .rebuild(member("a/b")))
        #expect(plan(["a/b/c"], ["a/b"]) == .rebuild(member("a")))
        #expect(plan(["a/b/c", "a/e"]) == .rebuild(member("a")))
        #expect(plan(["a/b", "ab/c"]) == .rebuild(.top))
        #expect(plan(["a", "b/c/d"]) == .rebuild(.top))
    }
}
