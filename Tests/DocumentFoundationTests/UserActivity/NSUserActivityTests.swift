import DocumentFoundation
import Foundation
import Testing

private final class Saver: NSObject, NSUserActivityDelegate {
    var saved = 0
    func userActivityWillSave(_ userActivity: NSUserActivity) {
        saved += 1
        userActivity.addUserInfoEntries(from: ["caret": saved])
    }
}

@Suite("NSUserActivity")
struct NSUserActivityTests {
    private struct Place: Codable, Equatable {
        var page: Int
        var name: String
    }

    @Test("An archive holds all that an activity needs to be taken up again")
    func archives() throws {
        let activity = NSUserActivity(activityType: "org.sheaf.reading")
        let (url, uuid) = (URL(fileURLWithPath: "/docs/Sea.txt"), UUID())
        let date = Date(timeIntervalSince1970: 1_790_000_000)
        activity.title = "Sea"
        activity.webpageURL = URL(string: "https://example.org/sea")
        activity.targetContentIdentifier = "sea"
        activity.persistentIdentifier = "p"
        activity.expirationDate = date
        activity.keywords = ["waves", "wind"]
        activity.userInfo = [
            "text": "waves", "number": 5, "flag": true, "data": Data([1, 2]), "date": date, "url": url,
            "uuid": uuid, "list": [1, [url]] as [Any], "inner": ["a": ["b": uuid]],
            "set": Set(["x", "y"]),
        ]
        let found = try #require(NSUserActivity.unarchived(activity.archived()))
        #expect(found.activityType == "org.sheaf.reading")
        #expect(found.title == "Sea")
        #expect(found.webpageURL == activity.webpageURL)
        #expect(found.targetContentIdentifier == "sea")
        #expect(found.persistentIdentifier == "p")
        #expect(found.expirationDate == date)
        #expect(found.keywords == ["waves", "wind"])
        let info = try #require(found.userInfo)
        #expect(info["text"] as? String == "waves")
        #expect(info["number"] as? Int == 5)
        #expect(info["flag"] as? Bool == true)
        #expect(info["data"] as? Data == Data([1, 2]))
        #expect(info["date"] as? Date == date)
        #expect(info["url"] as? URL == url)
        #expect(info["uuid"] as? UUID == uuid)
        #expect((info["list"] as? [Any])?.first as? Int == 1)
        #expect(((info["list"] as? [Any])?.last as? [Any])?.first as? URL == url)
        let inner = info["inner"] as? [AnyHashable: Any]
        #expect((inner?["a"] as? [AnyHashable: Any])?["b"] as? UUID == uuid)
        #expect(info["set"] as? Set<AnyHashable> == ["x", "y"])
    }

    @Test("Only required keys are kept where some are named")
    func requiredKeys() throws {
        let activity = NSUserActivity(activityType: "t")
        activity.userInfo = ["a": 1, "b": NSObject()]
        activity.requiredUserInfoKeys = ["a"]
        let found = try #require(NSUserActivity.unarchived(activity.archived()))
        #expect(found.userInfo?.count == 1)
        #expect(found.userInfo?["a"] as? Int == 1)
    }

    @Test("What no property list can hold is refused with what it is")
    func refuses() {
        let activity = NSUserActivity(activityType: "t")
        for info: [AnyHashable: Any] in [["a": NSObject()], [1: "a"], ["$url": "a"]] {
            activity.userInfo = info
            #expect(throws: NSUserActivity.ArchiveError.self) { try activity.archived() }
        }
        #expect(NSUserActivity.unarchived(Data([1, 2, 3])) == nil)
    }

    @Test("One activity is current, until it resigns or ends")
    func current() {
        let (first, second) = (NSUserActivity(activityType: "1"), NSUserActivity(activityType: "2"))
        first.becomeCurrent()
        second.becomeCurrent()
        #expect(!first.isCurrent && second.isCurrent)
        first.resignCurrent()
        #expect(second.isCurrent)
        second.invalidate()
        second.becomeCurrent()
        #expect(!second.isCurrent)
    }

    @Test("The delegate brings an activity up to date once for each time that it is asked to")
    func saves() {
        let (activity, saver) = (NSUserActivity(activityType: "t"), Saver())
        activity.delegate = saver
        activity.saveIfNeeded()
        activity.needsSave = true
        activity.saveIfNeeded()
        activity.saveIfNeeded()
        #expect(saver.saved == 1)
        #expect(activity.userInfo?["caret"] as? Int == 1)
    }

    @Test("A typed payload comes back as it was, and no other type does")
    func payload() throws {
        let activity = NSUserActivity(activityType: "t")
        try activity.setTypedPayload(Place(page: 3, name: "Sea"))
        let found = try #require(NSUserActivity.unarchived(activity.archived()))
        #expect(try found.typedPayload(Place.self) == Place(page: 3, name: "Sea"))
        #expect(throws: NSUserActivity.TypedPayloadError.invalidContent) {
            try found.typedPayload([Int].self)
        }
        #expect(throws: NSUserActivity.TypedPayloadError.encodingError) { try found.setTypedPayload(5) }
    }

    @Test(
        "Nothing is kept of activities that would have to be forgotten: who asks for it is told so, after the call"
    )
    func forgets() async {
        for forget in [
            { NSUserActivity.deleteAllSavedUserActivities(completionHandler: $0) },
            {
                NSUserActivity.deleteSavedUserActivities(
                    withPersistentIdentifiers: ["a"],
                    completionHandler: $0
                )
            },
        ] as [(@escaping @Sendable () -> Void) -> Void] {
            await withCheckedContinuation { continuation in forget { continuation.resume() } }
        }
        await NSUserActivity.deleteSavedUserActivities(withPersistentIdentifiers: ["a", "b"])
        await NSUserActivity.deleteAllSavedUserActivities()
    }
}
