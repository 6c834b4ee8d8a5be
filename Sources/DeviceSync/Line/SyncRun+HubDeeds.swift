internal import Foundation
internal import HubProtocol
internal import Sealing
internal import Sync
internal import SyncMessages

/// Something that the hub has done, and what ends it.
struct KnownDeed: Codable, Hashable, Sendable {
    enum End: Codable, Hashable, Sendable {
        /// The log is read to its end.
        case whenUp
        /// All that this device has is at the hub, and the other way round.
        case whenInStep
        /// Nothing tells.
        case never
        /// These contents come, or nobody waits for them.
        case withContents
    }

    var deed: HubDeed
    var end: End
}

// What the hub does that an honest one does not: said for as long as it is so, and for a while after it was put right.
extension SyncRun {
    private static let deedsKey = "hub deeds"
    /// So many are remembered.
    private static let deedCountMax = 20
    /// So long it is told that something was put right.
    private static let deedSeconds = 30.0 * 24 * 60 * 60

    /// What the hub does that is in the way of all.
    var logDeed: HubDeed? {
        deeds.last { $0.deed.path == nil && $0.end == .whenUp && $0.deed.putRightSeconds == nil }?.deed
    }

    /// What the hub does that an item waits for.
    func deed(of contents: some Sequence<ContentName>) -> HubDeed? {
        contents.lazy.compactMap { self.falseContents[$0]?.deed }.first
    }

    /// All that there is to tell, the newest last.
    var toldDeeds: [HubDeed] {
        deeds.map(\.deed) + falseContents.values.map(\.deed).sorted { $0.sinceSeconds < $1.sinceSeconds }
    }

    func note(_ deed: HubDeed, until end: KnownDeed.End) {
        deeds.removeAll { $0.deed.isSame(as: deed) }
        deeds.append(KnownDeed(deed: deed, end: end))
        rememberDeeds()
    }

    /// Something has ended what the hub had done.
    func endDeeds(_ end: KnownDeed.End) {
        var isNews = false
        for at in deeds.indices where deeds[at].end == end && deeds[at].deed.putRightSeconds == nil {
            deeds[at].deed.putRightSeconds = contents.now.timeIntervalSince1970
            isNews = true
        }
        if isNews { rememberDeeds() }
    }

    private func rememberDeeds() {
        let oldest = contents.now.timeIntervalSince1970 - Self.deedSeconds
        deeds.removeAll { ($0.deed.putRightSeconds ?? $0.deed.sinceSeconds) < oldest && $0.end != .whenUp }
        deeds = Array(deeds.suffix(Self.deedCountMax))
        do { try memory.remember(Self.deedsKey, Array(try JSONEncoder().encode(deeds))) } catch {
            // What is still so is noticed again.
            report(.failed(path: "what this device remembers", why: "\(error)"))
        }
    }

    /// What a process has noticed that has ended.
    func recallDeeds() throws {
        guard let bytes = try memory.value(Self.deedsKey) else { return }
        deeds = try JSONDecoder().decode([KnownDeed].self, from: Data(bytes))
    }

    // MARK: The log

    /// The hub shows another log than was read: back to where both are the same.
    func noteWayBack(_ finding: LogFinding) {
        guard let deed = finding.deed(at: contents.now) else { return }
        note(deed, until: .whenInStep)
        if deed.kind == .forked { report(.failed(path: "the hub's log", why: deed.text)) }
    }

    /// The hub does not have what it had taken: it goes again.
    func noteUnkept(_ finding: LogFinding) {
        guard let deed = finding.deed(at: contents.now) else { return }
        note(deed, until: .whenInStep)
        report(.failed(path: "the hub's log", why: deed.text))
    }

    /// Nothing more can be read.
    func stop(for finding: LogFinding) {
        if let deed = finding.deed(at: contents.now) { note(deed, until: .whenUp) }
        fail(finding.description)
    }

    func note(_ other: OtherLog) {
        let deed = other.deed(at: contents.now)
        note(deed, until: .never)
        report(.failed(path: "the hub's log", why: deed.text))
    }

    // MARK: Contents

    /// What contents are asked for again that the hub gives otherwise: after ever more attempts.
    struct FalseContents {
        var deed: HubDeed
        var askedCount = 0
        /// The attempt with which they are asked for again.
        var nextAttempt: Int
    }

    /// Half an hour.
    private static let attemptGapMax = 180

    /// Contents have not been sent, or have not come.
    ///
    /// - Parameter blob: What the hub has given in their stead.
    func noteFailure(of name: ContentName, _ why: SyncRefusal, _ blob: FalseBlob?) {
        let isNews = failedContents.updateValue(why, forKey: name) != why
        if why.code == .quota { hubRoomRefusalCount += 1 }
        uploads.end(name)
        arrivals[name] = nil
        if let blob { noteFalse(name, why, blob) }
        // What is tried again and again is said once.
        if isNews { report(.failed(path: waitingItem(for: name).map(path) ?? "", why: why.description)) }
        news.formUnion(engine.waitingItems(for: name))
    }

    /// Contents that the hub gives otherwise than a device has sent them.
    func noteFalse(_ name: ContentName, _ why: SyncRefusal, _ blob: FalseBlob) {
        let deed = HubDeed(
            blob.kind,
            path: waitingItem(for: name).map(path) ?? "",
            sinceSeconds: falseContents[name]?.deed.sinceSeconds ?? contents.now.timeIntervalSince1970,
            text: why.description,
            next: blob.next
        )
        falseContents[name, default: FalseContents(deed: deed, nextAttempt: attemptCount + 1)].deed = deed
    }

    /// Whether contents are to be asked for again with this attempt, unless they are not known to be false.
    func isDue(_ name: ContentName) -> Bool {
        guard let known = falseContents[name] else { return true }
        guard attemptCount >= known.nextAttempt else { return false }
        let count = min(known.askedCount + 1, 16)
        falseContents[name]?.askedCount = count
        falseContents[name]?.nextAttempt = attemptCount + min(1 << count, Self.attemptGapMax)
        return true
    }

    /// Lets go of what the hub gives otherwise that nobody waits for, nor lacks: of an item that was evicted it is so until somebody
    /// has asked for it again.
    func forgetFalse() {
        for name in falseContents.keys where failedContents[name] == nil {
            let isLacked = table.dataless.contains { table[$0]?.state.contents.contains(name) == true }
            if !isLacked { endFalse(name, areHere: false) }
        }
    }

    /// Contents have come, or are not waited for any more.
    func endFalse(_ name: ContentName, areHere: Bool) {
        guard var ended = falseContents.removeValue(forKey: name)?.deed, areHere else { return }
        ended.putRightSeconds = contents.now.timeIntervalSince1970
        note(ended, until: .withContents)
    }

    /// Who waits for contents: an item that is to become what the hub has, or one whose contents somebody has asked for.
    func waitingItem(for name: ContentName) -> ItemID? {
        engine.waitingItem(for: name)
            ?? downloads.items(needing: name).min()
    }
}
