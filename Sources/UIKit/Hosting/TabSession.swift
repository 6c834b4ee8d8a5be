internal import FileSystem
internal import Foundation
internal import StandardStreams
internal import WebHost

/// One tab's view of its scene: what it has been told, and what it says.
@MainActor
final class TabSession {
    let session: UISceneSession
    let scene: UIWindowScene
    /// The live connection; nil while the tab is reloading or gone.
    private(set) var tab: WebTab?
    private(set) var isVisible = true
    private var revision = 0
    private var shown: SceneDescription?
    /// What the next editor is going to be shown in, most likely.
    private var spare: SpareEditor?
    private lazy var acts = Acts(self)
    private var underWay: Set<Int> = []
    private var answers: [Int: OutgoingMessage] = [:]
    private var answeredNumbers: [Int] = []

    /// More than a person does while a connection is lost.
    private static let answersKeptMax = 256

    init(session: UISceneSession, scene: UIWindowScene) {
        self.session = session
        self.scene = scene
    }

    /// The window that this tab shows: its scene's, or that of an app without scenes.
    var window: UIWindow? {
        scene.windows.first { $0.rootViewController != nil } ?? UIApplication.shared.delegate?.window
    }

    // MARK: To the page

    func connect(_ newTab: WebTab) {
        tab = newTab
        // A hidden tab says so again, behind the greeting.
        isVisible = true
        shown = nil
        for frame in frames { frame.attach(to: self) }
        for frame in frames { frame.tabLost() }
        bringUpToDate()
    }

    func disconnect() {
        tab = nil
        for frame in frames { frame.tabLost() }
    }

    private var frames: [EditorFrame] {
        var found: [EditorFrame] = []
        var controller = window?.rootViewController
        while let next = controller {
            found += SceneRenderer.frames(in: next.contentViewController)
            controller = next.presentedViewController
        }
        return found
    }

    // MARK: The spare frame

    /// Where a frame is held ready; nil where there is none.
    var spareAddress: String? { spare?.address }

    /// Holds a frame ready for another editor that is made of a document of this path.
    func holdSpare(of path: String) {
        guard spare?.path != path else { return }
        spare = SpareEditor(path: path)
        SceneUpdates.request()
    }

    /// The key of the frame that is held ready for such an editor, which is the taker's from now on.
    func takeSpare(of path: String) -> String? {
        guard let taken = spare, taken.path == path else { return nil }
        spare = nil
        return taken.take()
    }

    /// Tells the page something, if it is there.
    ///
    /// - Returns: False where a message to an editor is too long. The tab would be cut over it, come back, and be told it again.
    @discardableResult
    func send(_ message: OutgoingMessage) -> Bool {
        guard let tab else { return true }
        do {
            let text = try message.text()
            if case .web = message, text.utf8.count > tab.messageByteCountMax { return false }
            tab.send(text)
        } catch {
            // Only a value that is no JSON gets here, and callers check those: a defect of ours.
            assertionFailure("a message could not be encoded: \(error)")
            StandardError.say("A message to a tab could not be encoded: \(error)")
        }
        return true
    }

    /// Tells the page what differs from what it was told last.
    func bringUpToDate() {
        guard tab != nil else { return }
        for frame in frames { frame.attach(to: self) }
        var now = SceneRenderer.describe(window)
        now.spare = spareAddress
        defer { shown = now }
        guard let before = shown else {
            revision += 1
            send(.hello(revision: revision, app: AppHost.description, scene: now))
            return
        }
        // What was opened or closed is kept at once; a caret can wait.
        if before.stack.map(\.id) != now.stack.map(\.id) { StateKeeper.current?.look() }
        var sections = OutgoingMessage.SceneSections()
        if before.browser != now.browser { sections.browser = .some(now.browser) }
        if before.stack != now.stack { sections.stack = now.stack }
        if before.webs != now.webs { sections.webs = now.webs }
        if before.spare != now.spare { sections.spare = .some(now.spare) }
        let isSameFolder = before.browser?.folder == now.browser?.folder
        if !isSameFolder { sections.items = now.items }
        if !sections.isEmpty {
            revision += 1
            send(.change(revision: revision, sections: sections))
        }
        // Another spelling of a name is another item, and the same text.
        let isSameList =
            before.items == now.items
            && zip(before.items, now.items).allSatisfy { $0.id.isSameInBytes($1.id) }
        if isSameFolder, !isSameList { sendDifference(before.items, now) }
    }

    private func sendDifference(_ before: [SceneDescription.Item], _ now: SceneDescription) {
        let old = Dictionary(before.map { (FilePath($0.id), $0) }, uniquingKeysWith: { first, _ in first })
        let current = Set(now.items.map { FilePath($0.id) })
        let put = now.items.filter { old[FilePath($0.id)] != $0 }
        let drop = before.map(\.id).filter { !current.contains(FilePath($0)) }
        guard !put.isEmpty || !drop.isEmpty else { return }
        revision += 1
        send(.items(revision: revision, folder: now.browser?.folder ?? "", put: put, drop: drop))
    }

    /// Tells a person something in passing.
    func notify(_ text: String, act: SceneDescription.Act? = nil) {
        send(.notice(text, act))
    }

    // MARK: From the page

    func received(_ text: String) {
        guard let message = JSONValues.object(text), let type = message["type"] as? String else {
            StandardError.say("A tab sent something that is no message.")
            return
        }
        guard isNew(message) else { return }
        defer { StateKeeper.current?.lookSoon() }
        switch type {
        case "act":
            acts.perform(message)
        case "web":
            receivedFromEditor(message)
        case "again":
            shown = nil
            bringUpToDate()
        case "visible":
            setVisible(message["visible"] as? Bool ?? true)
        default:
            StandardError.say("A tab sent a message of the unknown type “\(type)”.")
        }
    }

    private func receivedFromEditor(_ message: [String: Any]) {
        let id = message["web"] as? String ?? ""
        if let frame = EditorFrames.frame(id) {
            frame.received(message)
        } else if let number = message["reply"] as? Int {
            answer(number, .web(id, ["do": "reply", "id": number, "error": "The web view is gone."]))
        }
    }

    /// Whether a message that wants an answer came for the first time.
    ///
    /// After an interruption the page repeats what was not answered. What is being done is answered when it is
    /// done; what was answered is answered again.
    private func isNew(_ message: [String: Any]) -> Bool {
        guard let number = message["id"] as? Int ?? message["reply"] as? Int else { return true }
        if let answer = answers[number] {
            send(answer)
            return false
        }
        return underWay.insert(number).inserted
    }

    /// Answers what the page numbered, and keeps the answer in case it does not arrive.
    func answer(_ number: Int, _ message: OutgoingMessage) {
        underWay.remove(number)
        answers[number] = message
        answeredNumbers.append(number)
        if answeredNumbers.count > Self.answersKeptMax { answers[answeredNumbers.removeFirst()] = nil }
        if !send(message), case .web(let frame, _) = message {
            let refusal = OutgoingMessage.web(
                frame,
                ["do": "reply", "id": number, "error": "The reply is too long for a tab."]
            )
            answers[number] = refusal
            send(refusal)
        }
    }

    private func setVisible(_ visible: Bool) {
        guard visible != isVisible else { return }
        isVisible = visible
        SceneSessions.visibilityChanged(self)
    }
}
