internal import SeededNumbers
internal import Shrinking

/// The numbers by which a scene is chosen: those of a seed, noted as they come, or such as were noted, and fewer and smaller
/// ones in their place.
package struct PlannerChoices: Sendable {
    private var random: SplitMix64?
    /// What has been chosen, or is to be.
    package private(set) var numbers: [Int]
    private var position = 0

    init(seed: UInt64) { (random, numbers) = (SplitMix64(seed: seed), []) }

    init(_ numbers: [Int]) { (random, self.numbers) = (nil, numbers) }

    /// A number from 0 on, below a bound; 0 where none is left.
    mutating func below(_ bound: Int) -> Int {
        if let number = random?.below(bound) {
            numbers.append(number)
            return number
        }
        guard position < numbers.count else { return 0 }
        defer { position += 1 }
        return numbers[position] % bound
    }
}

extension PlannerScene {
    /// The simplest choices found with which a scene goes wrong, too: some left out, others smaller.
    ///
    /// - Parameter numbers: Those of one that goes wrong.
    package static func shrunk(_ numbers: [Int], bug: PlantedBug? = nil) -> [Int] {
        func goesWrong(_ numbers: [Int]) -> Bool {
            var scene = PlannerScene(choices: numbers, bug: bug)
            scene.run()
            return !scene.faults.isEmpty
        }
        var (numbers, isSimpler) = (numbers, true)
        while isSimpler {
            (numbers, isSimpler) = Shrinking.pass(over: numbers, while: goesWrong)
            for index in numbers.indices {
                for smaller in [0, numbers[index] / 2, numbers[index] - 1]
                where smaller >= 0 && smaller < numbers[index] {
                    var simpler = numbers
                    simpler[index] = smaller
                    if goesWrong(simpler) {
                        (numbers, isSimpler) = (simpler, true)
                        break
                    }
                }
            }
        }
        return numbers
    }

    /// The scene of some choices as a test that can be pasted, with what happens in it as a comment.
    package static func test(_ numbers: [Int], bug: PlantedBug? = nil) -> String {
        var scene = PlannerScene(choices: numbers, bug: bug, tells: true)
        scene.run()
        let lines = scene.told.map { "    // \($0)" } + scene.faults.map { "    // Wrong: \($0)" }
        return """
            @Test("...")
            func shrunk() {
            \(lines.joined(separator: "\n"))
                var scene = PlannerScene(choices: \(numbers)\(bug.map { ", bug: .\($0)" } ?? ""))
                scene.run()
                #expect(scene.faults == [])
            }
            """
    }
}
