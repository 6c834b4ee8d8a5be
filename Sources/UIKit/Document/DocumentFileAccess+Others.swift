internal import DocumentFoundation
internal import FileSystem
internal import Foundation
internal import Locks
internal import StandardStreams
internal import Vault

/// What a document's saves find of others' work, and what is done about it. Used on the file queue.
struct OthersWork {
    /// How the item has to look when it is replaced.
    enum Expectation: Hashable {
        /// A file, or what the document writes in a way of its own; nil for nothing there.
        case item(FileStamp?)
        /// What a save of a package takes the place of.
        case members([FileStamp?])
    }

    /// Nil while no save is under way.
    var expectation: Expectation?
    /// Who wrote what is found, as far as it was known when the save began.
    var reason = VersionReason.outsideWriter(process: "")
    /// Whether the document is saved to where it is, and not over another item.
    var isOwnPlace = true
    /// Whether a save that would replace members of others' is put off.
    var mergesFirst = false
    var losers: [ConflictLoser] = []
    /// Files that are about to be replaced, or have just been.
    var replaced: [Replaced] = []
    /// Files that were replaced, and may still be written by programs that had opened them; oldest first.
    var late: [Late] = []
    /// Whether an end of the holds is due.
    var isLetGoDue = false

    /// A file that a save takes the place of.
    struct Replaced {
        let file: ReplacedFile
        /// The document.
        let item: FilePath
        /// Which member of it the file is; nil where it is the whole document.
        let member: MemberPath?
        /// The state of the document that the file is of, as far as that is kept.
        let former: NSFileVersion?
        /// Whether others have put it there after the last look, so that no document knows what is in it.
        var isOthers = false
        /// When the document was in that state.
        let date = Date()

        /// Where it was.
        var path: FilePath { (member ?? .top).components.reduce(item) { $0.appending($1) } }
    }

    struct Late {
        let replaced: Replaced
        var file: ReplacedFile { replaced.file }
        let since = MonotonicClock.seconds
        /// What was kept of it last.
        var keptContents: Data?
    }

    /// How long a replaced file is held, and then as long as a program has it open for writing, where the kernel tells. Elsewhere,
    /// what one writes later into a file that has no name any more is its own loss.
    static let lateWriterSeconds = 3.0
    /// How many replaced members of a package are held: each takes a descriptor.
    static let replacedMax = 32
    /// How many are held in all; who saves without pause holds the youngest.
    static let lateMax = 128
    /// How often an item that changes again and again is kept before the save gives up, to be tried again.
    static let attemptsMax = 16

    /// The holds that end: those that have lasted long enough, and the oldest of those that are too many.
    func endingHolds(at now: Double) -> [ReplacedFile] {
        let surplus = late.count - Self.lateMax
        return late.enumerated().filter { index, held in
            index < surplus
                || (held.since <= now - Self.lateWriterSeconds && held.file.isOpenForWriting != true)
        }.map(\.element.file)
    }
}

/// Why a save is put off: there is something to be merged first.
struct OthersWroteFirst: Error {}

extension DocumentFileAccess {
    /// Notes how the item looked when it was found to be known, or was kept.
    ///
    /// - Parameters:
    ///   - reason: Who wrote it.
    ///   - isOwnPlace: Whether the document is saved to where it is.
    ///   - mergesFirst: Whether the save is put off where it would replace members of others'.
    func expect(_ stamp: FileStamp?, from reason: VersionReason, at isOwnPlace: Bool, mergesFirst: Bool) {
        confined()
        others.expectation = .item(stamp)
        others.reason = reason
        others.isOwnPlace = isOwnPlace
        others.mergesFirst = mergesFirst
        others.losers = []
        // What a save that came to nothing would have replaced.
        others.replaced = []
    }

    /// What the save that has just ended has kept of what others wrote.
    func takeLosers() -> [ConflictLoser] {
        defer { others.losers = [] }
        return others.losers
    }

    /// Keeps what others have put in place since the save looked first: the next call replaces it.
    func keepLatest(_ item: FilePath) throws(SystemError) {
        for _ in 0..<OthersWork.attemptsMax {
            guard let expected = others.expectation else { return }
            // Held before it is looked at: what is written after the look is seen by the hold.
            let held = hold(item)
            let found = try look(at: item, as: expected)
            if found == expected || found == .item(nil) {
                others.replaced += held
                return
            }
            do {
                others.losers.append(try keepOthers(at: item.url(isDirectory: plan != nil)))
                others.expectation = found
            } catch {
                // Changed while it was copied, or gone: look again.
                let code = Self.systemCode(of: error)
                guard [ESTALE, ENOENT, ENOTDIR].contains(code) else {
                    throw SystemError(call: "renameat2", errno: code, path: item)
                }
            }
        }
        throw SystemError(call: "renameat2", errno: EBUSY, path: item)
    }

    private func look(
        at item: FilePath,
        as expected: OthersWork.Expectation
    ) throws(SystemError) -> OthersWork.Expectation {
        if case .members = expected, let plan {
            return .members(plan.replacedStamps(at: Self.target(of: item)))
        }
        return .item(try FileStamp.ifPresent(at: item, followsSymbolicLink: true))
    }

    static func systemCode(of error: any Error) -> CInt {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError ?? error
        return cause.domain == NSPOSIXErrorDomain ? CInt(cause.code) : EIO
    }

    // MARK: Late writers

    private func hold(_ item: FilePath) -> [OthersWork.Replaced] {
        let members: [MemberPath?] = plan?.takenPaths.prefix(OthersWork.replacedMax).map { $0 } ?? [nil]
        let former = versions.latest
        return members.compactMap { member in
            let place = (member ?? .top).components.reduce(item) { $0.appending($1) }
            return ReplacedFile(place, followsSymbolicLink: true).map {
                OthersWork.Replaced(file: $0, item: item, member: member, former: former)
            }
        }
    }

    /// Takes hold of what a file of the save has taken the place of, if that is none of those that are held.
    func holdReplaced(_ path: MemberPath, at place: FilePath, of item: FilePath) {
        // Members that an override has staged beside the plan are looked at by nobody.
        guard others.expectation != nil, plan?.takes(path) ?? (path == .top),
            let file = ReplacedFile(place, followsSymbolicLink: false),
            !others.replaced.contains(where: { $0.file.isSame(as: file) })
        else { return }
        others.replaced.append(
            OthersWork.Replaced(
                file: file,
                item: item,
                member: plan == nil ? nil : path,
                former: versions.latest,
                isOthers: true
            )
        )
    }

    /// Goes on looking at what the save that has just ended has replaced, for a while. The save is over: nobody
    /// waits for this.
    func watchLateWriters() {
        let replaced = others.replaced
        others.replaced = []
        guard !replaced.isEmpty else { return }
        queue.async { [self] in
            for held in replaced {
                others.late.append(OthersWork.Late(replaced: held))
                let file = held.file
                file.watch { [weak self, weak file] in
                    guard let self, let file else { return }
                    queue.async { self.keepLate { $0 === file } }
                }
            }
            // What was written before the watches were there.
            keepLate { file in replaced.contains { $0.file === file } }
            letGo()
        }
    }

    /// Ends the holds that are due to end.
    private func letGo() {
        let ending = others.endingHolds(at: MonotonicClock.seconds)
        let isEnding = { (file: ReplacedFile) in ending.contains { $0 === file } }
        keepLate(of: isEnding)
        others.late.removeAll { isEnding($0.file) }
        guard !others.late.isEmpty, !others.isLetGoDue else { return }
        others.isLetGoDue = true
        queue.asyncAfter(deadline: .now() + OthersWork.lateWriterSeconds) { [self] in
            others.isLetGoDue = false
            letGo()
        }
    }

    /// Keeps what programs have written into files that were replaced while they had them open.
    private func keepLate(of isWanted: (ReplacedFile) -> Bool) {
        for index in others.late.indices where isWanted(others.late[index].file) {
            let replaced = others.late[index].replaced
            let file = replaced.file
            guard replaced.isOthers || file.isWritten else { continue }
            do {
                let contents = try file.contents()
                guard others.late[index].keptContents != contents else { continue }
                let loser = try keepLate(contents, of: replaced)
                others.late[index].keptContents = contents
                lateLoserKept.withLock { $0 }?(loser)
            } catch {
                StandardError.say(
                    "What was written into “\(replaced.path)” while it was saved is lost: \(error)"
                )
            }
        }
    }
}
