internal import Foundation
internal import Shrinking

// How a story that goes wrong is told: shorter, and as a test.
extension WorldStory {
    /// Tells the story, and says what goes wrong in it, if anything does: for `Issue.record` or `XCTFail`.
    ///
    /// Standard error says it at once: to find a shorter story takes minutes. Cancelling the task ends that.
    ///
    ///     if let report = try await story.report([notes], written: "[notes]") { Issue.record("\(report)") }
    ///
    /// - Parameters:
    ///   - kinds: As of `run`.
    ///   - written: The kinds as they are written in your test, for the one that is printed; without, that has a gap for kinds of
    ///     your own.
    /// - Returns: The faults, the story as a test, and the shortest story found that goes wrong in the same way again and again, with
    ///   how often it has; nil where it goes well.
    /// - Throws: What keeps the world from being made.
    @MainActor
    public func report(_ kinds: [StoryKind] = StoryKind.all, written: String = "") async throws -> String? {
        let ending = try await run(kinds)
        return await ending.faults.isEmpty ? nil : report(of: ending, kinds, written: written)
    }

    /// As `report`, of a story that was told, and has gone wrong.
    @MainActor
    package func report(
        of ending: Ending,
        _ kinds: [StoryKind] = StoryKind.all,
        written: String = ""
    ) async -> String {
        await report(of: ending, written: written) { try await $0.run(kinds) }
    }

    /// - Parameter tell: Tells a story, and says how that has ended.
    @MainActor
    func report(
        of ending: Ending,
        written: String,
        _ tell: @MainActor (WorldStory) async throws -> Ending
    ) async -> String {
        let faults = ending.faults.joined(separator: "\n")
        let told = "The story of seed \(seed) goes wrong: \(faults)\n\n\(test(ending, kinds: written))\n\n"
        // To find a shorter one takes its time, and whoever has no patience ends it.
        FileHandle.standardError.write(Data((told + "It is told again, and shorter.\n").utf8))
        do {
            let shorter = try await shortened(tryCount: Self.tryCount, keeping: ending.kinds) {
                try await tell($0).kinds
            }
            return try await told + saidOfShorter(shorter, written, keeping: ending.kinds, tell)
        } catch {
            // What it is about is told all the same.
            return told + "It could not be told again: \(error)"
        }
    }

    /// Tells the shortest story again, to say how often it goes wrong. One that does not, ever, went wrong by an accident of threads:
    /// then a longer one is told, and so on, in steps that double.
    @MainActor
    private func saidOfShorter(
        _ shorter: [WorldStory],
        _ written: String,
        keeping wrong: Set<StoryFault.Kind>,
        _ tell: @MainActor (WorldStory) async throws -> Ending
    ) async throws -> String {
        var (index, step) = (shorter.count - 1, 1)
        while index >= 0 {
            let story = shorter[index]
            let again = try await story.toldAgain(keeping: wrong, tell)
            if let shown = again.first {
                let often = "\(again.count) of \(Self.tryCount) tellings"
                let test = story.test(shown, kinds: written)
                return
                    "In \(story.deeds.count) of \(deeds.count) deeds, which went wrong in \(often):\n\n\(test)"
            }
            // The longest of them, which went wrong first, is tried in any case.
            (index, step) = (index == 0 ? -1 : max(0, index - step), 2 * step)
        }
        let count = try await toldAgain(keeping: wrong, tell).count
        let said =
            shorter.isEmpty ? "No shorter story goes wrong" : "Shorter ones went wrong, and did not again"
        return
            "\(said). Told \(Self.tryCount) times more, this one goes wrong in \(count) of them: threads decide on it."
    }

    /// - Returns: How the story has ended where it went wrong in the same way, of so many tellings.
    @MainActor
    private func toldAgain(
        keeping wrong: Set<StoryFault.Kind>,
        _ tell: @MainActor (WorldStory) async throws -> Ending
    ) async throws -> [Ending] {
        let wrong = StoryFault.Kind.gravest(of: wrong)
        var endings: [Ending] = []
        for _ in 0..<Self.tryCount {
            try Task.checkCancellation()
            let ending = try await tell(self)
            if !ending.kinds.isDisjoint(with: wrong) { endings.append(ending) }
        }
        return endings
    }

    /// So often a story is told before it is taken to go well.
    private static let tryCount = 3

    /// The shortest story found that goes wrong in the same way: with deeds left out, first many at a time, then each by itself.
    ///
    /// The same way is that a fault of the gravest kind comes that has come: an edit is lost, say; or else a package is half, or
    /// devices disagree, or something is not explained, in this order, or else any other. So one that goes wrong in a lesser way
    /// only, or another one, is not taken for it.
    ///
    /// - Parameters:
    ///   - tryCount: How often each is told before it is taken to go well, 1 or more: what depends on an order of threads goes
    ///     wrong now and then only.
    ///   - ending: How this story has ended; nil has it told first, as often. One that goes well is as short as it is.
    ///   - kinds: As of `run`.
    /// - Throws: What keeps a world from being made.
    @MainActor
    public func shrunk(
        tryCount: Int = 3,
        from ending: Ending? = nil,
        _ kinds: [StoryKind] = StoryKind.all
    ) async throws -> WorldStory {
        precondition(tryCount > 0, "a story that is told \(tryCount) times goes wrong in none of them")
        var wrong = ending?.kinds ?? []
        for _ in 0..<tryCount where wrong.isEmpty { wrong = try await run(kinds).kinds }
        return try await shrunk(tryCount: tryCount, keeping: wrong) { try await $0.run(kinds).kinds }
    }

    /// - Parameters:
    ///   - wrong: Of which kinds one of the gravest has to come.
    ///   - judge: Says of a story what kinds of faults come in it.
    @MainActor
    func shrunk(
        tryCount: Int = 1,
        keeping wrong: Set<StoryFault.Kind>,
        _ judge: @MainActor (WorldStory) async throws -> Set<StoryFault.Kind>
    ) async throws -> WorldStory {
        try await shortened(tryCount: tryCount, keeping: wrong, judge).last ?? self
    }

    /// All stories found on the way to the shortest that went wrong, each shorter than the one before.
    @MainActor
    private func shortened(
        tryCount: Int,
        keeping wrong: Set<StoryFault.Kind>,
        _ judge: @MainActor (WorldStory) async throws -> Set<StoryFault.Kind>
    ) async throws -> [WorldStory] {
        let wrong = StoryFault.Kind.gravest(of: wrong)
        guard !wrong.isEmpty else { return [] }
        var (story, found) = (self, [WorldStory]())
        var isShorter = true
        while isShorter {
            var shrinking = Shrinking(story.deeds)
            while let deeds = shrinking.next() {
                try Task.checkCancellation()
                var shorter = story
                shorter.deeds = deeds
                var isStillSo = false
                for _ in 0..<tryCount where !isStillSo {
                    isStillSo = try await !judge(shorter).isDisjoint(with: wrong)
                }
                shrinking.note(isStillSo: isStillSo)
                if isStillSo { found.append(shorter) }
            }
            (story.deeds, isShorter) = (shrinking.elements, shrinking.isShorter)
        }
        return found
    }

    /// The story as a test that can be pasted.
    ///
    /// - Parameters:
    ///   - ending: How it has ended, to be said in comments.
    ///   - kinds: The kinds that `run` is to be given, as they are written in your test, such as “[notes]”; nothing for those with
    ///     which it has ended so. Kinds of your own are a gap then, which does not compile.
    public func test(_ ending: Ending? = nil, kinds: String = "") -> String {
        let kinds = kinds.isEmpty ? ending?.kindsWritten ?? "" : kinds
        var said = (ending?.told ?? []) + (ending?.faults ?? []).map { "Wrong: \($0)" }
        if kinds == StoryKind.unwritten {
            said.append("It was told with kinds of your own: write them below, or give `report` their names.")
        }
        // What an error says may be several lines.
        let lines = said.flatMap { $0.split(whereSeparator: \.isNewline) }.map { "    // \($0)" }
        return """
            @Test @MainActor func shrunk() async throws {
            \(lines.map { $0 + "\n" }.joined())    let story = WorldStory(
                    seed: \(seed),
                    deviceCount: \(deviceCount),
                    deeds: [
            \(deeds.map { "            .\($0)," }.joined(separator: "\n"))
                    ]
                )
                // Threads decide on some of it: once is not always enough.
                for _ in 0..<3 { #expect(try await story.run(\(kinds)).faults == []) }
            }
            """
    }
}
