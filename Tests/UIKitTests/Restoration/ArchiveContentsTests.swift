import DocumentFoundation
import Foundation
import Testing

@testable import UIKit

@Suite("ArchiveContents")
struct ArchiveContentsTests {
    private func archive(_ entries: [(String, Any)]) -> Data {
        let coder = NSKeyedArchiver(requiringSecureCoding: false)
        for (key, value) in entries { coder.encode(value, forKey: key) }
        coder.finishEncoding()
        return coder.encodedData
    }

    /// Objects of all kinds; a number and a text in them.
    private func entries(_ number: Int = 7, _ text: String = "sea") -> [(String, Any)] {
        let many = NSMutableDictionary()
        for index in (0..<20).shuffled() { many["key \(index)"] = NSNumber(value: index) }
        many["inner"] = [NSNumber(value: number), text as NSString, many.copy()] as NSArray
        return [
            ("many", many), ("text", text as NSString), ("again", text as NSString),
            ("bytes", Data([1, 2, 3]) as NSData), ("date", Date(timeIntervalSince1970: 1.25) as NSDate),
            ("number", NSNumber(value: 0.5)),
        ]
    }

    @Test("Archives of the same objects hold the same, in whatever order their dictionaries are")
    func same() {
        let first = archive(entries())
        for _ in 0..<20 { #expect(ArchiveContents.areSame(first, archive(entries()))) }
    }

    @Test("Another value, key or order of an array is something else, though it takes the same room")
    func different() {
        let first = archive(entries())
        #expect(!ArchiveContents.areSame(first, archive(entries(8))))
        #expect(!ArchiveContents.areSame(first, archive(entries(7, "sky"))))
        let (one, two) = (["a", "b"] as NSArray, ["b", "a"] as NSArray)
        #expect(!ArchiveContents.areSame(archive([("list", one)]), archive([("list", two)])))
        #expect(!ArchiveContents.areSame(archive([("list", one)]), archive([("tsil", one)])))
        let (here, there) = (["a": "b", "c": "d"] as NSDictionary, ["a": "d", "c": "b"] as NSDictionary)
        #expect(!ArchiveContents.areSame(archive([("map", here)]), archive([("map", there)])))
    }

    @Test(
        "Numbers, which lie among an archive's keys and not among its objects, are told apart under every key"
    )
    func numbers() {
        let number = { (value: Int, key: String) in
            let coder = NSKeyedArchiver(requiringSecureCoding: false)
            coder.encode(value, forKey: key)
            coder.finishEncoding()
            return coder.encodedData
        }
        for key in ["reference", "$reference", "$0", "CF$UID", "NS.keys"] {
            #expect(!ArchiveContents.areSame(number(5, key), number(6, key)), "\(key)")
            #expect(!ArchiveContents.areSame(number(5, key), number(5, "other")), "\(key)")
        }
    }

    @Test("Archives of many objects hold the same in every order, though they do not take the same room")
    func many() {
        let numbers = ("numbers", (0..<300).map { NSNumber(value: $0) } as NSArray)
        let shared = ("shared", Array(repeating: "sea" as NSString, count: 20) as NSArray)
        let (first, second) = (archive([numbers, shared]), archive([shared, numbers]))
        #expect(first.count != second.count)
        #expect(ArchiveContents.areSame(first, second))
        let longer = ("shared", Array(repeating: "sea" as NSString, count: 21) as NSArray)
        #expect(!ArchiveContents.areSame(first, archive([longer, numbers])))
    }

    @Test("What is under a key that does not count may be another")
    func besides() {
        let entry = { (text: String) in ("time", text as NSString) }
        let (first, second) = (archive(entries() + [entry("now")]), archive(entries() + [entry("then")]))
        #expect(!ArchiveContents.areSame(first, second))
        #expect(ArchiveContents.areSame(first, second, besides: "time"))
        #expect(!ArchiveContents.areSame(first, archive(entries(8) + [entry("now")]), besides: "time"))
    }

    @Test("What is no archive is the same as nothing but itself")
    func malformed() {
        #expect(ArchiveContents.areSame(Data("abc".utf8), Data("abc".utf8)))
        #expect(!ArchiveContents.areSame(Data("abc".utf8), Data("abd".utf8)))
    }

    @Test("States hold the same when all parts of them do")
    func states() throws {
        let object = { (text: String) in
            ViewArchive.Object(path: ["root"], data: archive(entries(7, text)))
        }
        let application = { (number: Int, seconds: Double) in
            let date = Date(timeIntervalSince1970: seconds) as NSDate
            return archive(entries(number) + [(UIApplication.stateRestorationTimestampKey, date)])
        }
        let state = { (text: String, number: Int, seconds: Double) in
            let archive = ViewArchive(application: application(number, seconds), objects: [object(text)])
            let activity = NSUserActivity(activityType: "org.sheaf.test")
            activity.userInfo = Dictionary(uniqueKeysWithValues: (0..<20).map { ("key \($0)", $0) })
            return RestorationState(activity: try activity.archived(), archive: archive, folder: "Trips")
        }
        let first = try state("sea", 7, 1)
        for seconds in 1...10 { #expect(try first.holdsSame(as: state("sea", 7, Double(seconds)))) }
        #expect(try !first.holdsSame(as: state("sky", 7, 1)))
        #expect(try !first.holdsSame(as: state("sea", 8, 1)))
        var other = first
        other.folder = nil
        #expect(!first.holdsSame(as: other))
        other = first
        other.archive = nil
        #expect(!first.holdsSame(as: other) && !other.holdsSame(as: first))
    }
}
