internal import DocumentTesting
internal import Foundation

// Random stories of worlds: real devices, each with its folder, vault and memory, and a make-believe hub. Ends with 1 when
// something is wrong.
//
//     world-harness COUNT [SEED]    stories one after another; one that goes wrong is told again, shorter, as a test

let arguments = Array(CommandLine.arguments.dropFirst())
guard let count = arguments.first.flatMap({ Int($0) }), count > 0 else {
    print("usage: world-harness COUNT [SEED]")
    exit(2)
}
let first = arguments.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 0..<(1 << 40))
let start = ContinuousClock.now
print("seeds from \(first)")

/// Says how a story went wrong, and the shortest one found that goes wrong, too.
@MainActor
func report(_ story: WorldStory, _ ending: WorldStory.Ending) async throws {
    print("seed \(story.seed): \(ending.faults.joined(separator: "\n"))\n")
    print(story.test(ending))
    let short = try await story.shrunk()
    guard short.deeds.count < story.deeds.count else {
        return print(
            "told again it goes well, or no shorter story goes wrong: what it shows depends on threads"
        )
    }
    print("in \(short.deeds.count) of \(story.deeds.count) deeds:\n")
    for _ in 0..<3 {
        let again = try await short.run()
        if !again.faults.isEmpty { return print(short.test(again)) }
    }
    print(short.test())
}

var (deedCount, editCount, packageCount) = (0, 0, 0)
var (crashCount, restoreCount) = (0, 0)
for offset in 0..<count {
    let story = WorldStory(seed: first &+ UInt64(offset), deedCount: 20 + offset % 4 * 20)
    let ending = try await story.run()
    deedCount += story.deeds.count
    editCount += ending.editCount
    packageCount += ending.packageLookCount
    crashCount += ending.hubCrashCount
    restoreCount += ending.restoreCount
    guard ending.faults.isEmpty else {
        try await report(story, ending)
        exit(1)
    }
}
let seconds = (ContinuousClock.now - start) / .seconds(1)
print(
    "stories \(count), deeds \(deedCount), edits \(editCount), looks at packages \(packageCount), "
        + "crashes of the hub \(crashCount), devices put back \(restoreCount), "
        + "\(String(format: "%.1f", seconds)) s"
)
// Of ten and more stories at least one has packages and edits, of a hundred and more one has each of the rest: else nothing was
// tried.
let hasTriedMost = count < 10 || editCount > count && packageCount > 0
let hasTriedAll = count < 100 || crashCount > 0 && restoreCount > 0
exit(hasTriedMost && hasTriedAll ? 0 : 1)
