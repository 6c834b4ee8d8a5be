import Foundation
import Testing

@testable import UIKit

@MainActor
private enum Story {
    static let journal = Journal()
    static var saves = true
    static var restores = true
    static let date = Date(timeIntervalSince1970: 1_700_000_000.25)
    static var keptAt: Date?
    static var idiom: Int?
}

private final class OldDelegate: UIResponder, UIApplicationDelegate {
    func application(_ application: UIApplication, shouldSaveApplicationState coder: NSCoder) -> Bool {
        Story.saves
    }
    func application(_ application: UIApplication, shouldRestoreApplicationState coder: NSCoder) -> Bool {
        Story.journal.note("may restore \(coder.decodeObject(forKey: "app") as? String ?? "nothing")")
        return Story.restores
    }
    func application(_ application: UIApplication, willEncodeRestorableStateWith coder: NSCoder) {
        coder.encode("waves", forKey: "app")
    }
    func application(_ application: UIApplication, didDecodeRestorableStateWith coder: NSCoder) {
        Story.keptAt =
            coder.decodeObject(of: NSDate.self, forKey: UIApplication.stateRestorationTimestampKey) as Date?
        Story.idiom =
            coder.decodeObject(
                of: NSNumber.self,
                forKey: UIApplication.stateRestorationUserInterfaceIdiomKey
            )?.intValue
        Story.journal.note("app \(coder.decodeObject(forKey: "app") as? String ?? "nothing")")
    }
    func application(
        _ application: UIApplication,
        viewControllerWithRestorationIdentifierPath identifierComponents: [String],
        coder: NSCoder
    ) -> UIViewController? {
        guard identifierComponents == ["root", "editor", "note"] else { return nil }
        let note = RestoredNamed("note")
        note.modalPresentationStyle = .formSheet
        return note
    }
}

/// Encodes its text.
final class RestoredNamed: UIViewController, UIViewControllerRestoration {
    var text = ""

    init(_ identifier: String?) {
        super.init(nibName: nil, bundle: nil)
        restorationIdentifier = identifier
    }
    required init?(coder: NSCoder) { nil }

    static func viewController(
        withRestorationIdentifierPath identifierComponents: [String],
        coder: NSCoder
    ) -> UIViewController? {
        guard coder.decodeObject(forKey: "text") as? String != "secret" else { return nil }
        let made = RestoredNamed(identifierComponents.last)
        made.restorationClass = RestoredNamed.self
        return made
    }

    override func encodeRestorableState(with coder: NSCoder) {
        coder.encode(text, forKey: "text")
        coder.encode(Data(text.utf8), forKey: "data")
        super.encodeRestorableState(with: coder)
    }
    override func decodeRestorableState(with coder: NSCoder) {
        text = coder.decodeObject(forKey: "text") as? String ?? "nothing"
        #expect(coder.decodeObject(forKey: "data") as? Data == Data(text.utf8))
        Story.journal.note("\(restorationIdentifier ?? "nobody") \(text)")
        super.decodeRestorableState(with: coder)
    }
    override func applicationFinishedRestoringState() {
        Story.journal.note("\(restorationIdentifier ?? "nobody") finished")
    }
}

private final class Settings: NSObject, UIStateRestoring {
    var volume = 0
    func encodeRestorableState(with coder: NSCoder) { coder.encode(volume, forKey: "volume") }
    func decodeRestorableState(with coder: NSCoder) {
        volume = coder.decodeInteger(forKey: "volume")
        Story.journal.note("settings \(volume)")
    }
}

/// Each story has a process of its own: the app's delegate is one for a process.
@Suite("View controllers' state")
@MainActor
struct ViewRestorationTests {
    private static let delegate = OldDelegate()
    private static let settings = Settings()

    private static func begin() throws -> Stage {
        UIApplication.shared.delegate = delegate
        return try Stage(RestoredNamed("root"))
    }

    /// A root, an editor over it, a note over that.
    private static func show(_ stage: Stage, _ text: String, editorClass: Bool = true) throws {
        let root = try #require(stage.window.rootViewController as? RestoredNamed)
        let (editor, note) = (RestoredNamed("editor"), RestoredNamed("note"))
        root.text = "root"
        (editor.text, note.text) = (text, "remember")
        editor.restorationClass = editorClass ? RestoredNamed.self : nil
        root.present(editor, animated: false)
        editor.present(note, animated: false)
    }

    private static func titles(_ stage: Stage) -> [String] {
        RestorableControllers.all(below: stage.window.rootViewController).map {
            $0.path.joined(separator: "/")
        }
    }

    @Test("View controllers come back over one another, decode, are told that all have, then the delegate is")
    func restores() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let stage = try Self.begin()
            try Self.show(stage, "sea")
            UIApplication.registerObject(
                forStateRestoration: Self.settings,
                restorationIdentifier: "settings"
            )
            Self.settings.volume = 7
            let archive = try #require(
                try ViewArchiver.archive(stage.window.rootViewController, keptAt: Story.date)
            )
            Self.settings.volume = 0
            let again = try Stage(RestoredNamed("root"))
            ViewUnarchiver(archive).restore(below: again.window.rootViewController)
            #expect(
                Story.journal.take() == [
                    "may restore waves", "root root", "editor sea", "note remember", "settings 7",
                    "root finished", "editor finished", "note finished", "app waves",
                ]
            )
            #expect(Self.titles(again) == ["root", "root/editor", "root/editor/note"])
            #expect(Story.keptAt == Story.date)
            // Unspecified.
            #expect(Story.idiom == -1)
        }
    }

    @Test("A view controller that its class does not make again is left out, with what stood over it")
    func refused() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let stage = try Self.begin()
            try Self.show(stage, "secret")
            let archive = try #require(
                try ViewArchiver.archive(stage.window.rootViewController, keptAt: Story.date)
            )
            let again = try Stage(RestoredNamed("root"))
            ViewUnarchiver(archive).restore(below: again.window.rootViewController)
            #expect(Self.titles(again) == ["root"])
            #expect(Story.journal.take().last == "app waves")
        }
    }

    @Test("Without an identifier a view controller keeps nothing, nor does what is in it or over it")
    func identifiers() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let stage = try Self.begin()
            try Self.show(stage, "sea")
            stage.window.rootViewController?.presentedViewController?.restorationIdentifier = nil
            let archive = try #require(
                try ViewArchiver.archive(stage.window.rootViewController, keptAt: Story.date)
            )
            #expect(archive.objects.map(\.path) == [["root"]])
        }
    }

    @Test("The delegate decides whether state is kept and given back")
    func delegateDecides() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let stage = try Self.begin()
            let archive = try #require(
                try ViewArchiver.archive(stage.window.rootViewController, keptAt: Story.date)
            )
            Story.restores = false
            ViewUnarchiver(archive).restore(below: stage.window.rootViewController)
            #expect(Story.journal.take() == ["may restore waves"])
            Story.saves = false
            #expect(try ViewArchiver.archive(stage.window.rootViewController, keptAt: Story.date) == nil)
        }
    }

    @Test("An archive that cannot be read restores nothing and does no harm")
    func damaged() async {
        await #expect(processExitsWith: .success) { @MainActor in
            let stage = try Self.begin()
            var archive = try #require(
                try ViewArchiver.archive(stage.window.rootViewController, keptAt: Story.date)
            )
            archive.objects[0].data = Data("no archive".utf8)
            ViewUnarchiver(archive).restore(below: stage.window.rootViewController)
            #expect(Story.journal.take() == ["may restore waves", "app waves"])
            archive.application = Data()
            ViewUnarchiver(archive).restore(below: stage.window.rootViewController)
            #expect(Story.journal.take().isEmpty)
        }
    }
}
