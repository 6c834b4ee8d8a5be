internal import HubProtocol
internal import Sealing
internal import Sync
internal import SyncMessages

// What is heard from the line.
extension SyncRun {
    /// Whether it is known that there is no line: one that is tried for the first time may be up in a moment.
    var isLineDown: Bool { lineState == .stopped || lineState == .down && lineFailure != nil }
    /// Why the line is not up.
    var lineReason: String {
        lineFailure
            ?? (isStopped ? "this folder is not kept in step any more." : "it has not been tried yet.")
    }

    func heard(_ news: HubLine.News) {
        guard !isStopped, !holdsBack(news) else { return }
        retryLater()
        switch news {
        case .entries(let heard):
            newlyHeard += heard
            tellLetIn(heard)
            noteRoom(for: heard)
            take([.logRead(heard.map(\.entry))])
        case .refused(let refusals): take(refusals.map { .commitRefused($0.0, readTo: $0.readTo) })
        case .unkept(let commits, let finding):
            noteUnkept(finding)
            // What is on the disk is committed again, by what the log has now.
            take(commits.map { .commitRefused($0.0, readTo: $0.readTo) })
        case .withheld(let lacks): take(lacks.map { .commitWithheld($0.0, lacking: [$0.lacking]) })
        case .declined(let commits, let why): holdBack(commits, why)
        case .uploaded(let names):
            var hadNoRoom = false
            for name in names {
                hadNoRoom = failedContents.removeValue(forKey: name)?.code == .quota || hadNoRoom
                endFalse(name, areHere: true)
                uploads.end(name)
            }
            self.news.formUnion(names.flatMap { engine.waitingItems(for: $0) })
            take(names.map { .uploaded($0) })
            if hadNoRoom { sendWhatWaitedForRoom() }
        case .fetched(let names):
            for name in names {
                (failedContents[name], arrivals[name]) = (nil, nil)
                endFalse(name, areHere: true)
            }
            take(names.map { .fetched($0) })
            fillDownloaded(names)
            lookAtUnkept()
        case .progress(let name, let arrival): progress(name, arrival)
        case .sent(let name, let share):
            guard uploads.note(share, of: name) else { return }
            self.news.formUnion(engine.waitingItems(for: name))
            tellFollowers()
        case .lacking(let names): lacks(names)
        case .failed(let names, let why, let blob):
            let needed = names.filter { !goesOn(without: $0, blob) }
            for name in needed { noteFailure(of: name, why, blob) }
            failDownloads(of: needed, why)
            endWaits()
            tellFollowers()
        case .up:
            (lineState, lineFailure, lineRemedy) = (.up, nil, nil)
            saidRemedies = []
            noteShutOut(false)
            report(.lineUp)
            endDeeds(.whenUp)
            take([.reconnected])
            requestContents(of: downloads.items)
            if !suspects.isEmpty { lookAtUnkept() }
        case .down(let why, let remedy): noteDown(why, remedy: remedy)
        case .unknown: noteDown(UnknownDevice.why, remedy: UnknownDevice.remedy(place.folder, at: place.hub))
        case .removed(let container):
            noteDown(RemovedFolder.why, remedy: RemovedFolder.remedy(place, container))
        case .putBack(let place, let finding):
            noteWayBack(finding)
            forgetReadings()
            goBack(to: place)
        case .strange(let other): note(other)
        case .shutOut(let end): endShutOut(end)
        case .hubChanged(let finding): stop(for: finding)
        }
    }

    /// Has what waits for contents go on that the hub does not have, where it can: two edits that come from them.
    ///
    /// - Returns: Whether nobody waits for them any more.
    private func goesOn(without name: ContentName, _ blob: FalseBlob?) -> Bool {
        guard blob?.kind == .leftOut, engine.waitingItem(for: name) != nil else { return false }
        take([.lost(name)])
        guard waitingItem(for: name) == nil else { return false }
        (failedContents[name], arrivals[name]) = (nil, nil)
        endFalse(name, areHere: false)
        return true
    }

    /// What keeps the line down may be another after a while. That is shown; it is said once until the line is up again, and so is
    /// what somebody has to do.
    ///
    /// - Parameter remedy: What somebody has to do; nil where it goes on by itself.
    private func noteDown(_ why: String, remedy: String? = nil) {
        (lineState, lineFailure, lineRemedy) = (.down, why, remedy)
        endHubRefusals()
        wasSettled = false
        uploads.endAll()
        arrivals = [:]
        if saidRemedies.isEmpty || remedy != nil, saidRemedies.insert(remedy).inserted {
            report(.lineDown(remedy.map { "\(why). \($0)" } ?? why))
        }
        news.formUnion(engine.differing)
        failDownloads(SyncRefusal(.unreachable, "There is no line to the hub: \(why)"))
        endWaits()
        tellFollowers()
    }
}
