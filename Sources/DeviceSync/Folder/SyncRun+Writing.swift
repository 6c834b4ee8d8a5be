internal import Dispatch
internal import FileSystem
internal import Foundation
internal import Sync
internal import SyncMessages

/// Which programs write an item, and when that was asked.
struct KnownWriters {
    var asked: Double
    var names: [String]
}

// Items that programs are writing: `WritingItems` decides, this hears and asks.
extension SyncRun {
    static let beingWritten = "It is being written."
    /// Who writes an item is asked again after so many seconds, if somebody wants to know.
    private static let writersSeconds = 1.0

    var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

    /// How many seconds ago something was, by a file's date.
    private static func age(_ nanoseconds: Int64) -> Double {
        WritingItems.age(nanoseconds, at: Date().timeIntervalSince1970)
    }

    // MARK: Heard

    /// Notes what events say of files that are written.
    ///
    /// - Returns: Whether there is something to look at.
    func noteWriting(_ events: [WatchEvent], in folder: ItemID) -> Bool {
        var isMore = false
        for event in events {
            guard let name = event.name else {
                let isOwn = folder == .root && event.kind == .attributesChanged && isAsRaised
                isMore = isMore || event.kind != .modified && !isOwn
                continue
            }
            let place = ItemPlace(folder, name)
            if isOwn(event, at: place) { continue }
            isMore = isMore || event.kind != .modified
            guard !SaveSigns.isStaging(name) else {
                saveSigns.take(event, at: place)
                continue
            }
            switch event.kind {
            case .created: writing.made(at: place)
            case .modified: noteWrite(at: place, event.writer)
            case .changed:
                writing.closed(place)
                noteWritten(at: place, isClosed: true)
            case .movedTo: writing.moved(to: place)
            case .movedFrom, .deleted, .attributesChanged, .selfMoved, .selfDeleted, .overflowed: break
            }
        }
        return isMore
    }

    /// Whether an event leaves at its place the very file that has been seen there: it is of what this process has put there, or
    /// marked. To look for it in a large folder would be to look at all that is in it.
    private func isOwn(_ event: WatchEvent, at place: ItemPlace) -> Bool {
        let mayBeUnread: Bool
        switch event.kind {
        case .movedTo: mayBeUnread = false
        case .attributesChanged: mayBeUnread = true
        case .created, .modified, .changed, .movedFrom, .deleted, .selfMoved, .selfDeleted, .overflowed:
            return false
        }
        guard let item = table.item(at: place), let known = table[item], isWritable(item),
            known.state.content != nil || mayBeUnread && unread[item] != nil,
            !missing.contains(item), !refused.contains(item), !amidSaves.contains(item)
        else { return false }
        return isAsSeen(item)
    }

    private func noteWrite(at place: ItemPlace, _ writer: WriterProcess?) {
        noteWritten(at: place, isClosed: false)
        // What is new has been told of, and is looked at.
        let item = table.item(at: place).flatMap { isWritable($0) ? $0 : nil }
        let isNew = item.map { writing.waiting[$0] == nil } ?? false
        writing.wrote(item, at: place, at: now)
        if let item { note(item, isNew, writer) }
    }

    /// Notes that a file may hold something else, which its size and its times need not tell: clocks go in steps, and of what is
    /// stored in memory that a file is mapped to only the first tells for a while.
    private func noteWritten(at place: ItemPlace, isClosed: Bool) {
        guard let item = table.item(at: place), isWritable(item), let trace = table[item]?.trace,
            isClosed || !written.contains(item)
        else { return }
        // What is written under one name is written under all.
        for other in table.items(like: trace) where isWritable(other) {
            written.insert(other)
            if isClosed, let parent = table[other]?.state.parent { dirtyFolders.insert(parent) }
        }
    }

    /// What is to be read after a look: what looks otherwise, and what somebody may have written into.
    func toBeRead(after outcome: FolderLook.Outcome) -> [ItemID: ItemTrace] {
        var touched = outcome.touched
        for item in outcome.unproven {
            guard let known = table[item], known.state.kind == .document, !known.isDataless,
                !outcome.missing.contains(item)
            else { continue }
            touched[item] = touched[item] ?? known.trace
        }
        let listed = outcome.listed.subtracting(outcome.unreadable.keys)
        for item in written where touched[item] == nil {
            guard let known = table[item], !known.isDataless else {
                written.remove(item)
                continue
            }
            let isListed = listed.contains(known.state.parent) && !outcome.missing.contains(item)
            if isListed, isWritable(item) { touched[item] = known.trace }
        }
        return touched
    }

    /// Whether somebody can write into an item, and that is to be heard of.
    func isWritable(_ item: ItemID) -> Bool {
        guard let seen = table[item] else { return false }
        return seen.trace.kind == .regular && !seen.isDataless && !isExcluded(item)
    }

    /// Notes what events say of a package that is written.
    ///
    /// - Returns: Whether there is something to look at.
    func noteWriting(_ events: [WatchEvent], inPackage item: ItemID) -> Bool {
        guard let place = table[item]?.state.place else { return false }
        let isNew = writing.waiting[item] == nil
        let wasWhole = table[item]?.state.content != nil
        var isMore = events.isEmpty
        for event in events {
            let isStep = isStep(event, ofPackage: item, at: place)
            if isStep { writing.wrote(inPackage: item, wasWhole: wasWhole, at: now) }
            // Folders that are new in it are to be watched; else it is looked at when nothing happens any more.
            isMore = isMore || !isStep || event.isDirectory
        }
        if writing.waiting[item] != nil { note(item, isNew, events.last { $0.writer != nil }?.writer) }
        return isMore || writing.waiting[item] == nil
    }

    /// Whether an event in a package is a step of a program that may go on.
    private func isStep(_ event: WatchEvent, ofPackage item: ItemID, at place: ItemPlace) -> Bool {
        guard let name = event.name, !SaveSigns.isStaging(name) else { return false }
        switch event.kind {
        case .created, .modified, .deleted: return true
        // What was written was told before.
        case .changed: return writing.isStep(closingIn: item, at: now)
        case .movedTo(let cookie):
            guard saveSigns.isOfSave(cookie, into: place) else { return true }
            writing.saved(package: item, at: now)
            return false
        case .movedFrom, .attributesChanged, .selfMoved, .selfDeleted, .overflowed: return false
        }
    }

    private func note(_ item: ItemID, _ isNew: Bool, _ writer: WriterProcess?) {
        if let writer { writers[item] = KnownWriters(asked: .infinity, names: ["\(writer)"]) }
        guard isNew else { return }
        // It is read when it may be.
        unread[item] = nil
        news.insert(item)
        lookAtWritingLater()
        take([])
    }

    // MARK: Asked

    /// Whether an item that looks otherwise than before may be read now.
    func mayRead(_ item: ItemID, _ trace: ItemTrace) -> Bool {
        // What a power cut may have damaged is put right first.
        guard let place = table[item]?.state.place, !suspects.contains(item) else { return true }
        let age = Self.age(trace.modified)
        let hasWaited = writing.waiting[item] != nil
        let verdict: WritingItems.Verdict
        switch trace.kind {
        case .regular:
            verdict = writing.judge(file: item, at: place, age: age, at: now) { isOpen(item) }
        case .directory:
            verdict = writing.judge(package: item, at: place, age: age, at: now) {
                writingState(ofPackage: item).isOpen
            }
        case .symbolicLink, .other:
            if writing.forget(item) { endWriting(item) }
            return true
        }
        guard case .wait = verdict else {
            if hasWaited { endWriting(item) }
            return true
        }
        unread[item] = nil
        news.insert(item)
        // What happens in it from now on is to be heard.
        if trace.kind == .directory { _ = watchIfPackage(item, trace) }
        lookAtWritingLater()
        return false
    }

    /// Whether what was read of an item counts.
    ///
    /// - Parameters:
    ///   - trace: Of a file, as it was read; nil for a package.
    ///   - kind: What it is; nil for what it was.
    ///   - readBegan: When the reading began, of it and of others.
    func counts(_ item: ItemID, _ trace: ItemTrace?, as kind: FileStamp.Kind?, readBegan: Double) -> Bool {
        guard !suspects.contains(item) else { return true }
        let isPackage = (kind ?? table[item]?.trace.kind) == .directory && trace == nil
        let isCounted = writing.counts(item, isPackage: isPackage, readBegan: readBegan, at: now) {
            guard !isPackage else { return writingState(ofPackage: item) }
            return trace.map { writingState(of: item, readAs: $0, readBegan: readBegan) }
                ?? .init(age: .infinity)
        }
        if !isCounted {
            news.insert(item)
            lookAtWritingLater()
        }
        return isCounted
    }

    /// How a file is that has been read. Nobody asks of one that was at rest when the reading began.
    private func writingState(
        of item: ItemID,
        readAs trace: ItemTrace,
        readBegan: Double
    ) -> WritingItems.State {
        var state = WritingItems.State(age: Self.age(trace.modified))
        guard abs(state.age) < WritingItems.openQuietSeconds + now - readBegan,
            let path = table.path(of: item, in: place.folder)
        else { return state }
        // What has another name by now, or cannot be looked at, is found by the next look.
        let status = try? FolderScan.status(at: path)
        state.isOther = status.map { !ItemTrace($0).hasContents(of: trace) } ?? false
        state.isOpen = isOpen(item) ?? false
        return state
    }

    private func isOpen(_ item: ItemID) -> Bool? {
        table.path(of: item, in: place.folder).flatMap { OpenForWriting.isOpen($0) }
    }

    /// How long ago something in a package was written last, and whether somebody has a file in it open for writing.
    private func writingState(ofPackage item: ItemID) -> WritingItems.State {
        guard let package = table.path(of: item, in: place.folder) else { return .init(age: .infinity) }
        // That a name at its top has gone shows in its own date; its mark moves the change time alone.
        var (newest, isOpen) = (
            (try? FolderScan.status(at: package)).map { ItemTrace($0).modified } ?? .min, false
        )
        var pending = [package]
        while let folder = pending.popLast() {
            // What cannot be looked at is said by whoever reads it.
            for member in (try? FolderScan.members(of: folder)) ?? [] {
                let trace = ItemTrace(member.status)
                let path = folder.appending(member.name)
                newest = max(newest, trace.changed)
                if trace.kind == .directory { pending.append(path) }
                guard trace.kind == .regular, !isOpen,
                    abs(Self.age(trace.changed)) < WritingItems.openQuietSeconds
                else { continue }
                isOpen = OpenForWriting.isOpen(path) ?? false
            }
        }
        return .init(age: newest == .min ? .infinity : Self.age(newest), isOpen: isOpen)
    }

    // MARK: Later

    private func lookAtWritingLater() {
        guard let next = writing.next, !isStopped, next < writingDue ?? .infinity else { return }
        writingDue = next
        let deadline = DispatchTime(uptimeNanoseconds: UInt64(next * 1e9))
        queue.asyncAfter(deadline: deadline) { [box = Confined(Weak(self))] in
            guard let self = box.value.value, !self.isStopped, self.writingDue == next else { return }
            self.writingDue = nil
            self.attempt("the folder cannot be looked at") { try self.lookAtWriting() }
            self.lookAtWritingLater()
        }
    }

    private func lookAtWriting() throws {
        let items = writing.takeDue(at: now)
        for item in items {
            guard let known = table[item] else {
                writing.forget(item)
                endWriting(item)
                continue
            }
            if known.trace.kind == .directory, known.state.kind == .document { dirtyPackages.insert(item) }
            dirtyFolders.insert(known.state.place.parent)
        }
        if !items.isEmpty { try lookAtDirty() }
    }

    /// An item does not wait any more.
    ///
    /// - Parameter isWhole: Whether it is to be read as it is.
    func endWriting(_ item: ItemID, isWhole: Bool = false) {
        if isWhole { writing.isWhole(item) }
        writers[item] = nil
        news.insert(item)
        // What could not be done with it is planned anew.
        if stuck.removeValue(forKey: item) != nil { refused.insert(item) }
    }

    /// After a look: what waited, and is as it was read last, does not wait any more.
    func endWriting(in folders: Set<ItemID>, but touched: [ItemID: ItemTrace]) {
        writing.endLook(at: now)
        saveSigns.endLook()
        let ended = writing.waiting.filter { item, wait in
            guard let known = table[item], !known.isDataless else { return true }
            guard !wait.isPackage, touched[item] == nil else { return false }
            return folders.contains(known.state.place.parent)
        }
        for item in ended.keys {
            writing.forget(item)
            endWriting(item)
        }
    }

    // MARK: Told

    /// Why an item waits that is being written.
    func writingText(of item: ItemID) -> String {
        let who = OpenInPrograms.who(writers[item]?.names ?? [])
        guard let wait = writing.waiting[item], wait.isPackage else {
            return "It is open in a program that writes it\(who)."
        }
        // A look has seen a save of Sheaf's that had not been heard of, or has been since.
        if !wait.isHeard, !wait.isOpen, let place = table[item]?.state.place,
            saveSigns.isBeingSaved(place) || writing.isSaved(item, at: now)
        {
            return "It is being saved."
        }
        return wait.isOpen
            ? "A file in it is open in a program that writes it\(who)."
            : "A program is writing files in it\(who)."
    }

    func writingRemedy(of item: ItemID) -> String {
        writing.waiting[item]?.isPackage == true
            ? "It goes by itself, as one, when that has ended."
            : "It goes by itself when it is closed there, or nothing has been written into it for a while."
    }

    /// Finds out again who writes an item, if that was not asked a moment ago.
    func refreshWriters(of item: ItemID) {
        if let known = writers[item], now < known.asked + Self.writersSeconds { return }
        // Of what has gone since nobody asks.
        guard let path = table.path(of: item, in: place.folder) else { return }
        let found = OpenForWriting.writers(countMax: OpenInPrograms.writerCountMax, anywhereIn: path)
        writers[item] = KnownWriters(asked: now, names: found.map(\.description))
    }
}
