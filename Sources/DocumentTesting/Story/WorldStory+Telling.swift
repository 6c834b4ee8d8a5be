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
    ///   - written: The kinds as they are written in your test, for the one that is printed.
    /// - Returns: The faults, the story as a test, and the shortest story found that goes wrong in the same way; nil where it goes
    ///   well.
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
        let faults = ending.faults.joined(separator: "\n")
        let told = "The story of seed \(seed) goes wrong: \(faults)\n\n\(test(ending, kinds: written))\n\n"
        // To find a shorter one takes its time, and whoever has no patience ends it.
        FileHandle.standardError.write(Data((told + "It is told again, and shorter.\n").utf8))
        do {
            let short = try await shrunk(from: ending, kinds)
            guard short.deeds.count < deeds.count else {
                return told + "Told again it goes well, or no shorter one goes wrong: threads decide on it."
            }
            var shown: Ending?
            for _ in 0..<Self.tryCount where shown == nil {
                let again = try await short.run(kinds)
                if !again.kinds.isDisjoint(with: StoryFault.Kind.gravest(of: ending.kinds)) { shown = again }
            }
            let test = short.test(shown, kinds: written)
            return told + "In \(short.deeds.count) of \(deeds.count) deeds:\n\n\(test)"
        } catch {
            // What it is about is told all the same.
            return told + "It could not be told again: \(error)"
        }
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
        let wrong = StoryFault.Kind.gravest(of: wrong)
        guard !wrong.isEmpty else { return self }
        var story = self
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
            }
            (story.deeds, isShorter) = (shrinking.elements, shrinking.isShorter)
        }
        return story
    }

    /// The story as a test that can be pasted.
    ///
    /// - Parameters:
    ///   - ending: How it has ended, to be said in comments.
    ///   - kinds: The kinds that `run` is to be given, as they are written in your test, such as “[notes]”.
    public func test(_ ending: Ending? = nil, kinds: String = "") -> String {
        let told = (ending?.told ?? []).map { "    // \($0)" }
        let lines = told + (ending?.faults ?? []).map { "    // Wrong: \($0)" }
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
