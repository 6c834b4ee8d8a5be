import Dispatch
import DocumentFoundation
import Foundation

/// A process with an app's key-value store that does what it is told, line by line.
///
///     set KEY TEXT      says `set KEY`
///     get KEY           says `KEY is TEXT`, or `KEY is nothing`
///
/// It says `changed REASON KEY...` when the store tells of a change, and `account there` or `account gone` when that does.
enum KeyValueProcess {
    static func run() {
        let center = NotificationCenter.default
        let store = NSUbiquitousKeyValueStore.default
        // Both as long as the process.
        _ = center.addObserver(
            forName: NSUbiquitousKeyValueStore.didChangeExternallyNotification,
            object: store,
            queue: nil
        ) { note in
            let reason = note.userInfo?[NSUbiquitousKeyValueStoreChangeReasonKey] as? NSNumber
            let keys = note.userInfo?[NSUbiquitousKeyValueStoreChangedKeysKey] as? [String] ?? []
            let words = ["changed", reason.map { "\($0)" } ?? "for nothing"] + keys.sorted()
            ScriptedProcess.say(words.joined(separator: " "))
        }
        _ = center.addObserver(forName: .NSUbiquityIdentityDidChange, object: nil, queue: nil) { _ in
            let isThere = FileManager.default.ubiquityIdentityToken != nil
            ScriptedProcess.say("account \(isThere ? "there" : "gone")")
        }
        Thread.detachNewThread {
            while let line = readLine() {
                let words = line.split(separator: " ").map(String.init)
                DispatchQueue.main.sync { obey(words, .default) }
            }
            exit(0)
        }
        ScriptedProcess.say("ready")
        dispatchMain()
    }

    private static func obey(_ words: [String], _ store: NSUbiquitousKeyValueStore) {
        switch (words.first, words.count) {
        case ("set", 3):
            store.set(words[2], forKey: words[1])
            store.synchronize()
            ScriptedProcess.say("set \(words[1])")
        case ("get", 2): ScriptedProcess.say("\(words[1]) is \(store.string(forKey: words[1]) ?? "nothing")")
        default: ScriptedProcess.say("what is \(words.joined(separator: " "))?")
        }
    }
}
