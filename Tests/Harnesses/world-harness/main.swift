internal import DocumentTesting
internal import Foundation

// Random stories of worlds: real devices, each with its folder, vault and memory, and a make-believe hub. Ends with 1 when
// something is wrong.
//
//     world-harness COUNT [SEED]        stories one after another; one that goes wrong is told again, shorter, as a test
//     world-harness COUNT SEED all      all of them, whatever goes wrong; what does is told as it was, once

let arguments = Array(CommandLine.arguments.dropFirst())
guard let count = arguments.first.flatMap({ Int($0) }), count > 0 else {
    print("usage: world-harness COUNT [SEED [all]]")
    exit(2)
}
let first = arguments.dropFirst().first.flatMap { UInt64($0) } ?? .random(in: 0..<(1 << 40))
let tellsAll = arguments.dropFirst(2).first == "all"
let start = ContinuousClock.now
print("seeds from \(first)")

var (deedCount, editCount, packageCount) = (0, 0, 0)
var wrongCount = 0
var (crashCount, restoreCount, hubRestoreCount) = (0, 0, 0)
for offset in 0..<count {
    let story = WorldStory(seed: first &+ UInt64(offset), deedCount: 20 + offset % 4 * 20)
    let ending = try await story.run()
    deedCount += story.deeds.count
    editCount += ending.editCount
    packageCount += ending.packageLookCount
    crashCount += ending.hubCrashCount
    restoreCount += ending.restoreCount
    hubRestoreCount += ending.hubRestoreCount
    if tellsAll, !ending.faults.isEmpty {
        wrongCount += 1
        print(story.test(ending))
        continue
    }
    guard ending.faults.isEmpty else {
        print(await story.report(of: ending))
        exit(1)
    }
}
let seconds = (ContinuousClock.now - start) / .seconds(1)
print(
    "stories \(count), deeds \(deedCount), edits \(editCount), looks at packages \(packageCount), "
        + "crashes of the hub \(crashCount), devices put back \(restoreCount), hubs \(hubRestoreCount), "
        + "\(String(format: "%.1f", seconds)) s"
)
// Of ten and more stories at least one has packages and edits, of a hundred and more one has each of the rest: else nothing was
// tried.
let hasTriedMost = count < 10 || editCount > count && packageCount > 0
let hasTriedAll = count < 100 || crashCount > 0 && restoreCount > 0
guard wrongCount == 0 else {
    print("\(wrongCount) stories go wrong")
    exit(1)
}
exit(hasTriedMost && hasTriedAll ? 0 : 1)
