import ChangeSets
import Testing

/// Every property begins with something.
private final class Draft: ChangeTrackedObject {
    @ChangeTracked(.set) var tags: Set<String> = ["inbox"]
    @ChangeTracked(.counter) var stars = 5
    @ChangeTracked(.text) var title = "Untitled"
    @ChangeTracked var folder = "Drafts"
    @ChangeTracked(.merged { values in values.last ?? .none }) var color = "red"
}

/// The same in a version of the app that had fewer properties.
private final class OldDraft: ChangeTrackedObject {
    static var changeType: String { Draft.changeType }

    @ChangeTracked var folder = "Drafts"
}

@Suite("What tracked properties begin with")
struct TrackedDefaultTests {
    private let phone = Self.recorder(1)
    private let desktop = Self.recorder(2)

    private static func recorder(
        _ number: Int,
        _ type: any ChangeTrackedObject.Type = Draft.self
    ) -> ChangeRecorder {
        ChangeRecorder(Replica(device: Fleet.device(number)), types: [type]) {
            1_790_000_000_000 + UInt64(number)
        }
    }

    private func draft(_ recorder: ChangeRecorder) throws -> Draft {
        try #require(recorder.objects(Draft.self)["1"])
    }

    /// What a device shows that has nothing but the phone's state.
    private func reloaded() throws -> Draft {
        let state = try phone.withReplica { $0.encodedState() }
        return try draft(
            ChangeRecorder(try Replica(state: state, device: Fleet.device(3)), types: [Draft.self])
        )
    }

    private func expectEmpty(_ draft: Draft) {
        #expect(draft.tags == [])
        #expect(draft.stars == 0)
        #expect(draft.title == "")
        #expect(draft.folder == "")
        #expect(draft.color == "")
    }

    private func empty(_ draft: Draft) {
        (draft.tags, draft.stars, draft.title) = ([], 0, "")
        (draft.folder, draft.color) = ("", "")
    }

    @Test("What an object begins with is on the other device, too")
    func untouched() throws {
        try phone.insert(Draft(), id: "1")
        try phone.exchange(with: desktop)
        for draft in [try draft(phone), try draft(desktop), try reloaded()] {
            #expect(draft.tags == ["inbox"])
            #expect(draft.stars == 5)
            #expect(draft.title == "Untitled")
            #expect(draft.folder == "Drafts")
            #expect(draft.color == "red")
        }
    }

    @Test("A property that was emptied stays empty, on every device, and so does what is edited next")
    func emptied() throws {
        try phone.insert(Draft(), id: "1")
        try phone.exchange(with: desktop)
        empty(try draft(phone))
        try phone.exchange(with: desktop)
        for draft in [try draft(phone), try draft(desktop), try reloaded()] { expectEmpty(draft) }
        try draft(desktop).tags.insert("new")
        try draft(desktop).stars += 1
        try draft(desktop).title += "New"
        try phone.exchange(with: desktop)
        for draft in [try draft(phone), try draft(desktop), try reloaded()] {
            #expect(draft.tags == ["new"])
            #expect(draft.stars == 1)
            #expect(draft.title == "New")
        }
    }

    @Test("A property that is emptied before its object is inserted stays empty, on every device")
    func insertedEmpty() throws {
        let new = Draft()
        empty(new)
        try phone.insert(new, id: "1")
        try phone.exchange(with: desktop)
        // The phone's objects follow its data when that changes.
        try desktop.insert(Draft(), id: "2")
        try phone.exchange(with: desktop)
        for draft in [new, try draft(phone), try draft(desktop), try reloaded()] { expectEmpty(draft) }
    }

    @Test("What was never recorded is empty on every device, and edits of it go together")
    func neverRecorded() throws {
        let old = Self.recorder(4, OldDraft.self)
        try old.insert(OldDraft(), id: "1")
        try phone.hear(from: old)
        try desktop.hear(from: old)
        for draft in [try draft(phone), try draft(desktop), try reloaded()] {
            #expect(draft.tags == [])
            #expect(draft.stars == 0)
            #expect(draft.title == "")
            #expect(draft.folder == "Drafts")
            #expect(draft.color == "red")
        }
        for recorder in [phone, desktop] {
            try draft(recorder).stars += 1
            try draft(recorder).tags.insert("seen")
        }
        try draft(desktop).title = "Sea"
        try phone.exchange(with: desktop)
        for draft in [try draft(phone), try draft(desktop), try reloaded()] {
            #expect(draft.tags == ["seen"])
            #expect(draft.stars == 2)
            #expect(draft.title == "Sea")
        }
    }
}
