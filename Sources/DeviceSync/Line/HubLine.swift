internal import Dispatch
internal import Foundation
internal import HubProtocol
internal import Locks
internal import Sealing
internal import Sync
internal import SyncMessages
internal import Threads
internal import Vault

/// A device's line to a container at its hub: what is to be sent and got, a batch at a time, and the log as it grows.
///
///     down ──(the log is read to its head)──▶ up ──(a call fails)──▶ down: what waits is dropped, and asked for anew
///
/// A call that began while the line was up another time says nothing of it now. While the request for the log waits at the hub
/// it does not tell that another call failed: whether the line is up again is asked beside it then.
///
/// Any thread. What comes of it is told to a receiver, one event after another from several threads. That only hands them on, and
/// neither waits nor calls back: that the line is up or down is told while it cannot become otherwise.
final class HubLine: Sendable {
    /// What comes over the line.
    enum News: Sendable {
        /// Entries of the log, in order.
        case entries([LogDesk.Heard])
        case refused([(Commit.ID, readTo: LogPosition)])
        /// Commits that the hub had taken, by its own word, and that are not in its log.
        case unkept([(Commit.ID, readTo: LogPosition)], LogFinding)
        /// Commits that were not offered, as the hub does not keep contents that they need.
        case withheld([(Commit.ID, lacking: ContentName)])
        /// Commits that the hub has no room for, or that something on the way does not let through.
        case declined([Commit], SyncRefusal)
        case uploaded([ContentName])
        case fetched([ContentName])
        /// So much of contents has come that are got by themselves.
        case progress(ContentName, Arrival)
        /// Contents that cannot be sent or had, for a reason that is not the line's.
        case failed([ContentName], SyncRefusal, FalseBlob?)
        /// Contents of which the vault lacks some, as somebody has changed a file that was lent.
        case lacking([ContentName])
        /// So much of contents that take several requests has been sent.
        case sent(ContentName, ItemSyncState.ObjectCount)
        case up
        /// With what somebody has to do; nil where it goes on by itself. Told again where either is another by now.
        case down(String, remedy: String? = nil)
        /// It is down, and stays so until this device is registered again: the hub does not know it.
        case unknown
        /// It is down, and stays so until the hub's owner has the folder kept again: he has removed it from the hub.
        case removed(ContainerName)
        /// Somebody has read another log. That stops nothing.
        case strange(OtherLog)
        /// The hub has lost, or exchanged, what came after this place of the log. Nothing is read until the line is opened
        /// again.
        case putBack(to: LogHead, LogFinding)
        /// This device shares the container no more: nothing goes or comes.
        case shutOut(ShutOut)
        /// The hub is not what it was: nothing more is done until a person has looked.
        case hubChanged(LogFinding)
    }

    struct Fetch: Hashable, Sendable {
        let name: ContentName
        let item: ItemID
    }

    /// What is told of a line that is down.
    struct ToldLoss: Equatable {
        let why: String
        let remedy: String?
        /// That the hub does not know this device, or has removed the folder; nil for all else.
        let word: HubFailureCode?

        init(_ error: any Error) {
            let failure = error as? LineFailure
            why = failure?.why ?? "\(error)"
            remedy = failure?.remedy
            let code = (error as? HubFailure)?.error.code
            word = code.flatMap { [.unauthorized, .removed].contains($0) ? $0 : nil }
        }

        /// How long it was tried is no news.
        static func == (one: ToldLoss, other: ToldLoss) -> Bool {
            one.remedy == other.remedy && one.word == other.word
                && withoutSpans(one.why) == withoutSpans(other.why)
        }

        /// A text without the numbers of what libcurl ends with “after 2034 ms”.
        private static func withoutSpans(_ text: String) -> [Substring] {
            let words = text.split(separator: " ")
            return zip([""] + words, words).filter { $0 != "after" || Int($1) == nil }.map(\.1)
        }
    }

    struct State {
        var isUp = false
        var isClosed = false
        /// What was told last of its being down; nil where it has been up since.
        var told: ToldLoss?
        /// How often it has come up.
        var upCount = 0
        /// The newest key that is held, where the log was read to its end without a word of it; nil once it has been announced.
        var unannounced: UInt32?
        /// After how many seconds it is asked whether the line is up again, when a call fails; until one does not.
        var pauseSeconds: Double
    }

    let state: Locked<State>
    let desk: LogDesk
    let hub: any ContainerHub
    let contents: ContentStore
    /// What the hub keeps until this device has committed what needs it.
    let asked = Locked(AskedContents())
    let receiver: @Sendable (News) -> Void
    let wakeUp = DispatchSemaphore(value: 0)
    private let asking = DispatchQueue(label: "sheaf.line")

    /// Held while it goes up or down, until that is told and what waited is dropped: else what is told last might not be what is
    /// so, and what is queued for a line that is up again might be dropped with the rest.
    private let turning = NSLock()

    /// How long a request for the log waits at the hub.
    static let waitSeconds = 50
    /// How many documents' contents are sent or got together.
    private static let contentCountMax = 500
    /// How many bytes they have together: what comes after them on the way is not to wait for more.
    private static let contentByteCountMax = 64 << 20
    /// One batch of small ones is on the line while another is at the disk.
    private static let contentWidth = 2
    /// What somebody waits for comes one by one, over a long line in the time of several questions and answers each.
    private static let downloadWidth = 4

    /// How many bytes the records of one message have: it writes them with a third more.
    private static let recordByteCountMax = HubLimits.jsonByteCountMax / 2

    /// How many bytes the hub lacked of contents for which it had no room.
    let lackingByteCounts = Locked<[ContentName: Int]>([:])
    /// Contents for which this device had no room.
    let shortages = Locked<[ContentName: Shortage]>([:])

    private let uploads: Locked<BatchQueue<ContentStore.Upload, ContentName>?>
    private let fetches: Locked<BatchQueue<Fetch, Fetch>?>
    /// What somebody waits for: a few at a time, beside the rest.
    private let downloads: Locked<BatchQueue<Fetch, Fetch>?>
    private let commits: Locked<BatchQueue<LogDesk.Offer, Commit.ID>?>
    let forgotten = Locked<[PublicIdentity]>([])
    /// Up to which key those of them have been left what they may lack.
    let provided = Locked<[DeviceID: UInt32]>([:])
    /// What opens the container with a key on paper, and which papers have been seen to since the line was opened.
    let kits: RecoveryKits?
    let papers = Locked<Set<DeviceID>>([])
    /// What this device remembers of the log's places; nil for one that it does not.
    let remembered: @Sendable (LogPosition) throws -> LogHash?
    /// What was asked of the log before the line was opened.
    let ahead: AskedAhead

    init(
        to hub: any ContainerHub,
        _ contents: ContentStore,
        _ desk: LogDesk,
        after ahead: AskedAhead,
        kits: RecoveryKits? = nil,
        remembered: @escaping @Sendable (LogPosition) throws -> LogHash? = { _ in nil },
        receiver: @escaping @Sendable (News) -> Void
    ) {
        (self.hub, self.contents, self.desk, self.receiver) = (hub, contents, desk, receiver)
        (self.ahead, self.kits, self.remembered) = (ahead, kits, remembered)
        state = Locked(State(pauseSeconds: hub.retrySeconds.lowerBound))
        (uploads, fetches, commits) = (Locked(nil), Locked(nil), Locked(nil))
        downloads = Locked(nil)
        let uploads = BatchQueue<ContentStore.Upload, ContentName>(
            "sheaf.uploads",
            widthMax: Self.contentWidth,
            countMax: Self.contentCountMax,
            weightMax: Self.contentByteCountMax,
            weight: { Self.byteCount(of: $0.name) },
            key: { $0.name }
        ) { [weak self] in
            self?.upload($0)
        }
        let fetches = BatchQueue<Fetch, Fetch>(
            "sheaf.fetches",
            widthMax: Self.contentWidth,
            countMax: Self.contentCountMax,
            weightMax: Self.contentByteCountMax,
            weight: { Self.byteCount(of: $0.name) },
            key: { $0 }
        ) { [weak self] in
            self?.fetch($0)
        }
        let downloads = BatchQueue<Fetch, Fetch>(
            "sheaf.downloads",
            widthMax: Self.downloadWidth,
            countMax: 1,
            weightMax: Self.contentByteCountMax,
            weight: { Self.byteCount(of: $0.name) },
            key: { $0 }
        ) { [weak self] in
            self?.download($0)
        }
        let commits = BatchQueue<LogDesk.Offer, Commit.ID>(
            "sheaf.commits",
            countMax: HubLimits.commitCountMax,
            weightMax: Self.recordByteCountMax,
            weight: { Self.byteCount(of: $0.commit.state) },
            key: { $0.commit.id }
        ) { [weak self] in
            self?.offer($0)
        }
        self.uploads.withLock { $0 = uploads }
        self.fetches.withLock { $0 = fetches }
        self.commits.withLock { $0 = commits }
        self.downloads.withLock { $0 = downloads }
    }

    /// Asks what is new in the log, while what a start has to do before the line is opened is done. It is one call, which ends
    /// by itself; what comes of it is told once the line is open, as if it had been asked then.
    func askAhead() {
        if desk.shutOut == nil { ahead.ask(after: desk.head.position) }
    }

    /// After so many seconds it is tried again to read the log, where there was no thread for it.
    private static let threadSeconds = 1.0

    /// Begins to read the log.
    func open() {
        do { try OwnThread.start("sheaf log") { [weak self] in self?.follow() } } catch {
            lose(LineFailure(error.why, remedy: error.remedy))
            asking.asyncAfter(deadline: .now() + Self.threadSeconds) { [weak self] in
                guard let self, !isClosed else { return }
                open()
            }
        }
    }

    /// Ends it. Nothing is told after the calls that are under way have ended.
    func close() {
        state.withLock { $0.isClosed = true }
        uploads.withLock { $0 }?.close()
        fetches.withLock { $0 }?.close()
        commits.withLock { $0 }?.close()
        downloads.withLock { $0 }?.close()
        hub.close()
        wakeUp.signal()
    }

    func queue(uploads wanted: [ContentStore.Upload]) { uploads.withLock { $0 }?.add(wanted) }
    func queue(fetches wanted: [Fetch]) { fetches.withLock { $0 }?.add(wanted) }
    func queue(downloads wanted: [Fetch]) { downloads.withLock { $0 }?.add(wanted) }
    func queue(commits offered: [LogDesk.Offer]) { commits.withLock { $0 }?.add(offered) }

    /// Of a name that is none the work itself says so.
    static func byteCount(of name: ContentName) -> Int {
        (try? ContentStore.contents(name)).map { Int(clamping: $0.byteCount) } ?? 0
    }

    /// How many bytes a record of a state has at most, with what a message says of it.
    private static func byteCount(of state: ItemState?) -> Int {
        guard let state else { return 1024 }
        return state.contents.reduce(1024 + state.place.name.utf8.count) { $0 + 2 + $1.valueByteCount }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }
    var upCount: Int { state.withLock { $0.upCount } }

    /// - Parameter other: What to do about an error that is not the line's.
    func attempt(_ body: () throws -> Void, then done: () -> Void, or other: (any Error) -> Void) {
        let up = state.withLock { $0.isUp && !$0.isClosed ? $0.upCount : nil }
        guard let up else { return }
        do {
            try body()
            // The hub may have been put back meanwhile, to before what this relied upon. It is asked for anew then.
            let isSame = state.withLock { state in
                state.pauseSeconds = hub.retrySeconds.lowerBound
                return state.isUp && state.upCount == up
            }
            guard isSame else { return }
            done()
        } catch {
            guard let own = ownError(in: error) else {
                return loseLine(up, (error as? UnknownKey)?.error ?? error)
            }
            other(own)
        }
    }

    /// What an error says of that which a call was about; nil where it is the line's: the next call may fare better then.
    func ownError(in error: any Error) -> (any Error)? {
        // It is announced in what is read next; or nobody has announced it, and the hub has made it up.
        if let error = error as? UnknownKey { return knowsAllKeys ? error.asFalse : nil }
        // What refuses one request on its way lets the next one through; a way that is closed refuses all.
        if let failure = error as? LineFailure, failure.isOfRequest { return isLogThere ? error : nil }
        return Self.isOfLine(error) ? nil : error
    }

    /// Whether the log can be had now.
    private var isLogThere: Bool {
        // Why it cannot is told by who reads it.
        (try? hub.log(after: desk.head.position, waitSeconds: 0)) != nil
    }

    /// Whether there is no key that this device could not have, as of now.
    private var knowsAllKeys: Bool {
        guard desk.holdsKey else { return false }
        // A log that cannot be had now may announce one.
        return (try? hub.log(after: desk.head.position, waitSeconds: 0))?.head == desk.head
    }

    /// A call has failed that began when the line had come up so often.
    private func loseLine(_ up: Int, _ error: any Error) {
        let pause = turning.withLock { () -> Double? in
            let pause = state.withLock { state -> Double? in
                guard state.isUp, state.upCount == up else { return nil }
                defer { state.pauseSeconds = min(2 * state.pauseSeconds, hub.retrySeconds.upperBound) }
                return min(state.pauseSeconds, hub.retrySeconds.upperBound)
            }
            if pause != nil { goDown(error) }
            return pause
        }
        if let pause { askAgain(after: pause) }
    }

    /// Asks after a while whether the line is up again, and again if it is not.
    private func askAgain(after seconds: Double) {
        asking.asyncAfter(deadline: .now() + seconds * Double.random(in: 0.5...1)) { [weak self] in
            guard let self, state.withLock({ !$0.isUp && !$0.isClosed }), desk.shutOut == nil else { return }
            do {
                let page = try hub.log(after: desk.head.position, waitSeconds: 0)
                // What is new, or otherwise than it was, comes to who reads the log; that nothing is new, where there has to be a
                // word of a newer key, he finds as well.
                if page.entries.isEmpty, page.head == desk.head, desk.isMember, desk.speaksOfHeldKeys {
                    bringUp()
                }
            } catch {
                askAgain(after: min(2 * seconds, hub.retrySeconds.upperBound))
            }
        }
    }

    func bringUp() {
        turning.withLock {
            let isNews = state.withLock { state in
                guard !state.isUp, !state.isClosed else { return false }
                (state.isUp, state.told) = (true, nil)
                state.upCount += 1
                return true
            }
            if isNews { receiver(.up) }
        }
    }

    /// Whether the next call may fare better, whatever it is about.
    private static func isOfLine(_ error: any Error) -> Bool {
        switch error {
        case let failure as HubFailure:
            return [.fault, .unavailable, .tooMany, .unauthorized, .revoked, .removed].contains(
                failure.error.code
            )
        // The key has been announced, and is fetched before the line is up again.
        case let error as SealingError: return error.code == .generationUnknown
        default: return error is LineFailure
        }
    }

    /// It cannot be used: what waits is dropped, and that is told, and again where it is for another reason by now.
    func lose(_ error: any Error) { turning.withLock { goDown(error) } }

    /// While it is turning.
    private func goDown(_ error: any Error) {
        let loss = ToldLoss(error)
        let isNews = state.withLock { state in
            // What becomes of the first try of all is news, too, as somebody may wait for it.
            let isNews = loss != state.told
            (state.isUp, state.told) = (false, loss)
            return isNews && !state.isClosed
        }
        uploads.withLock { $0 }?.clear()
        fetches.withLock { $0 }?.clear()
        commits.withLock { $0 }?.clear()
        downloads.withLock { $0 }?.clear()
        asked.withLock { $0.removeAll() }
        shortages.withLock { $0 = [:] }
        lackingByteCounts.withLock { $0 = [:] }
        guard isNews else { return }
        switch loss.word {
        case .unauthorized?: receiver(.unknown)
        case .removed?: receiver(.removed(desk.container))
        default: receiver(.down(loss.why, remedy: loss.remedy))
        }
    }
}
