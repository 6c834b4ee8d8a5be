/// What keeps a user's folders in step with a hub, for the commands about it.
package struct SyncRole: Sendable {
    /// How a folder comes to be kept in step.
    package struct Join: Sendable {
        package var folder: String
        /// Nil where the code names it.
        package var hub: String?
        /// Nil to share what another device has.
        package var invitation: String?
        /// Nil without an invitation either where a folder is joined already, and its hub is at another address.
        package var code: String?
        /// A folder that is joined already and gone for good, whose place it takes; nil for none.
        package var former: String?
        /// Whether the key on paper is asked for: all other devices may be lost.
        package var isRecovery = false
        /// Whether a hub of another machine may be asked in the clear.
        package var isWithoutTLS = false
        package var name: String?
        /// What apps are to call the container.
        package var identifier: String?
        /// From when on a person is to be asked about large changes; nil for: as by default.
        package var brake: BrakeLimit?
    }

    /// How one folder stands.
    package struct Folder: Codable, Hashable, Sendable {
        package var folder: String
        /// Nil where a file of this device's says nothing; `folder` is where that is, then.
        package var hub: String?
        package var line: String
        package var lineFailure: String?
        /// What somebody has to do for the line to be up again; nil where it goes on by itself, or nothing goes on.
        package var lineRemedy: String?
        package var itemCount: Int
        package var unsettledCount: Int
        package var isSettled: Bool
        /// Whether another device has shut this one out.
        package var isShutOut = false
        /// Paths, and why they are not kept in step.
        package var stuck: [String: String]
        /// What helps against that, by path, where anything is to be done.
        package var remedies: [String: String] = [:]
        /// Changes so large that a person is asked first.
        package var brakes: [Brake] = []
        /// From when on a person is asked.
        package var brakeLimits: BrakeLimits?
        /// The last one that has gone on, and that one can go back from.
        package var largeChange: LargeChange?
        /// What the hub has done that an honest one does not, or that its being put back came to, the newest last.
        package var hubDeeds: [HubDeed] = []
        /// What there is to know of names: the first of them.
        package var notes: [Note] = []
        /// How many there are in all.
        package var noteCount = 0

        /// Something to know of a name, though nothing is wrong here.
        package struct Note: Codable, Hashable, Sendable {
            package var path: String
            package var text: String
            /// Whether what bears the name is not kept in step.
            package var isLeftOut: Bool

            package init(path: String, text: String, isLeftOut: Bool) {
                (self.path, self.text, self.isLeftOut) = (path, text, isLeftOut)
            }
        }

        /// A change that waits for a person.
        package struct Brake: Codable, Hashable, Sendable {
            /// Whether it was made on this device.
            package var isLeaving: Bool
            /// So many items would be removed or replaced.
            package var waitingCount: Int
            package var itemCount: Int
            /// So many more have been already.
            package var doneCount = 0
            /// The entry of the log after which it came.
            package var restorePoint: UInt64 = 0

            package init(isLeaving: Bool, waitingCount: Int, itemCount: Int) {
                (self.isLeaving, self.waitingCount, self.itemCount) = (isLeaving, waitingCount, itemCount)
            }
        }

        /// From when on a person is asked about large changes.
        package struct BrakeLimits: Codable, Hashable, Sendable {
            /// Nobody is.
            package var isOff: Bool
            package var sharePercent: Int
            package var countMin: Int

            package init(isOff: Bool, sharePercent: Int, countMin: Int) {
                (self.isOff, self.sharePercent, self.countMin) = (isOff, sharePercent, countMin)
            }

            /// What holds where nobody has said anything.
            package static let standard = BrakeLimits(isOff: false, sharePercent: 50, countMin: 20)

            /// In words.
            package var text: String {
                if isOff { return "nobody is asked about large changes" }
                let count = "more than \(sharePercent) % of all items, and at least \(countMin),"
                return "you are asked before \(count) go or are replaced"
            }
        }

        /// A large change that has gone on.
        package struct LargeChange: Codable, Hashable, Sendable {
            package var itemCount: Int
            /// The entry of the log after which it came.
            package var restorePoint: UInt64

            package init(itemCount: Int, restorePoint: UInt64) {
                (self.itemCount, self.restorePoint) = (itemCount, restorePoint)
            }
        }

        package init(
            folder: String,
            hub: String?,
            line: String,
            lineFailure: String?,
            itemCount: Int,
            unsettledCount: Int,
            isSettled: Bool,
            stuck: [String: String]
        ) {
            (self.folder, self.hub, self.line, self.lineFailure) = (folder, hub, line, lineFailure)
            (self.itemCount, self.unsettledCount) = (itemCount, unsettledCount)
            (self.isSettled, self.stuck) = (isSettled, stuck)
        }
    }

    /// What comes of going back to what was before a large change.
    package struct WayBack: Hashable, Sendable {
        package var itemCount: Int
        package var restorePoint: UInt64
        /// What was edited since, and stays.
        package var newer: [String]
        /// What cannot be had any more.
        package var lost: [String]

        package init(itemCount: Int, restorePoint: UInt64, newer: [String], lost: [String]) {
            (self.itemCount, self.restorePoint, self.newer, self.lost) = (
                itemCount, restorePoint, newer, lost
            )
        }
    }

    /// Something that a hub has done.
    package struct HubDeed: Codable, Hashable, Sendable {
        /// altered, exchanged, replayed, leftOut, forked, or rolledBack.
        package var kind: String
        /// Of the log: which it is about, or after which it begins.
        package var entry: UInt64?
        /// The item that waits for contents.
        package var path: String?
        /// When it was noticed, and since when it is put right, as ISO 8601 has it.
        package var since: String
        package var putRight: String?
        package var text: String
        package var next: String

        package init(kind: String, since: String, text: String, next: String) {
            (self.kind, self.since, self.text, self.next) = (kind, since, text, next)
        }
    }

    /// Why an item is as it is.
    package struct Item: Codable, Hashable, Sendable {
        package var path: String
        package var isSettled: Bool
        /// Who has changed it: none, here, elsewhere, both.
        package var change: String
        /// Each what the one before waits for.
        package var causes: [Cause]
        package var next: String
        /// What there is to know beside that.
        package var notes: [String] = []
        /// What the hub does that it waits for.
        package var hubDeed: HubDeed?
        /// How much of its contents the hub has got, and how much has come here, while they are on their way.
        package var upload: Transfer?
        package var download: Transfer?
        /// How each device has it, and that in sentences.
        package var devices: [Device] = []
        package var whereabouts: [String] = []

        /// One thing that it waits for, or what it is.
        package struct Cause: Codable, Hashable, Sendable {
            /// What it comes to, in a word.
            package var kind: String
            package var text: String
            /// When it began, as ISO 8601 has it; nil where nobody has noted it.
            package var since: String?
            /// What helps; nil where it passes by itself, or nothing is wrong.
            package var remedy: String?

            package init(_ kind: String, _ text: String, since: String? = nil, remedy: String? = nil) {
                (self.kind, self.text, self.since, self.remedy) = (kind, text, since, remedy)
            }
        }

        /// How far contents on their way have come.
        package struct Transfer: Codable, Hashable, Sendable {
            package var doneByteCount: UInt64
            package var totalByteCount: UInt64
            /// Of those that are known of; nil where they are not counted.
            package var doneObjectCount: Int?
            package var totalObjectCount: Int?

            package init(_ done: UInt64, of total: UInt64, objects: (done: Int, total: Int)?) {
                (doneByteCount, totalByteCount) = (done, total)
                (doneObjectCount, totalObjectCount) = (objects?.done, objects?.total)
            }
        }

        /// How a device has an item.
        package struct Device: Codable, Hashable, Sendable {
            package var name: String
            package var isThis: Bool
            /// current, placeholder, changed, made, read, behind, unknown
            package var standing: String
            /// When it asked the hub last, by the hub's word; as ISO 8601 has it.
            package var asked: String?

            package init(name: String, isThis: Bool, standing: String, asked: String?) {
                (self.name, self.isThis) = (name, isThis)
                (self.standing, self.asked) = (standing, asked)
            }
        }

        package init(path: String, isSettled: Bool, change: String, causes: [Cause], next: String) {
            (self.path, self.isSettled, self.change) = (path, isSettled, change)
            (self.causes, self.next) = (causes, next)
        }
    }

    /// Something that has happened to a folder.
    package struct Event: Codable, Hashable, Sendable {
        /// As ISO 8601 has it.
        package var date: String
        package var folder: String
        package var text: String
        /// Whether somebody should look at it.
        package var isWrong: Bool

        package init(date: String, folder: String, text: String, isWrong: Bool) {
            (self.date, self.folder, self.text, self.isWrong) = (date, folder, text, isWrong)
        }
    }

    let join: @Sendable (Join, Console) throws -> String
    let pair: @Sendable (_ folder: String?, _ showsQRCode: Bool, Console) throws -> Void
    let up: @Sendable (_ isQuiet: Bool, Console) throws -> Void
    let status: @Sendable () throws -> [Folder]
    let explain: @Sendable (_ path: String) throws -> Item?
    let log: @Sendable (_ isFollowed: Bool, _ tell: @escaping @Sendable (Event) -> Void) throws -> Void
    let decide: @Sendable (_ folder: String, _ goesOn: Bool) throws -> Void
    let goBack: @Sendable (_ folder: String) throws -> WayBack
    let limit: @Sendable (_ folder: String, BrakeLimit) throws -> String
    /// What becomes of what was done here while an item was paused.
    package enum Resumption: Hashable, Sendable { case preserveLocal, failOnConflict, dropLocal }

    let evict: @Sendable (_ path: String) throws -> Void
    let pause: @Sendable (_ path: String) throws -> Void
    let resume: @Sendable (_ path: String, Resumption) throws -> Void
    let download: @Sendable (_ path: String, _ progress: @escaping @Sendable (Double) -> Void) throws -> Void

    /// - Parameters:
    ///   - join: Makes a folder a container's; gives what to say of it.
    ///   - pair: Lets another device share a folder's container; nil for the only one. Shows a QR code on a
    ///     terminal, or wherever it is told to.
    ///   - up: Returns when it has ended well.
    ///   - log: Tells what has happened; followed: and what happens, until the other side ends.
    ///   - decide: Says what becomes of a change that waits for a person.
    ///   - goBack: Has what the last large change has taken be what it was.
    ///   - limit: Keeps from when on a person is asked about large changes; gives what to say of it.
    ///   - evict: Has contents leave this device.
    ///   - pause: Has nothing of an item go or come.
    ///   - resume: Ends that.
    ///   - download: Returns when the contents are here; told meanwhile how far it is, 0 to 1.
    package init(
        join: @escaping @Sendable (Join, Console) throws -> String,
        pair: @escaping @Sendable (_ folder: String?, _ showsQRCode: Bool, Console) throws -> Void,
        up: @escaping @Sendable (_ isQuiet: Bool, Console) throws -> Void,
        status: @escaping @Sendable () throws -> [Folder],
        explain: @escaping @Sendable (_ path: String) throws -> Item?,
        log:
            @escaping @Sendable (_ isFollowed: Bool, _ tell: @escaping @Sendable (Event) -> Void) throws ->
            Void,
        decide: @escaping @Sendable (_ folder: String, _ goesOn: Bool) throws -> Void,
        goBack: @escaping @Sendable (_ folder: String) throws -> WayBack,
        limit: @escaping @Sendable (_ folder: String, BrakeLimit) throws -> String,
        evict: @escaping @Sendable (_ path: String) throws -> Void,
        pause: @escaping @Sendable (_ path: String) throws -> Void,
        resume: @escaping @Sendable (_ path: String, Resumption) throws -> Void,
        download:
            @escaping @Sendable (_ path: String, _ progress: @escaping @Sendable (Double) -> Void) throws ->
            Void
    ) {
        (self.join, self.pair, self.up, self.status, self.explain) = (join, pair, up, status, explain)
        self.log = log
        (self.decide, self.goBack, self.limit) = (decide, goBack, limit)
        (self.evict, self.download) = (evict, download)
        (self.pause, self.resume) = (pause, resume)
    }

    static func required(_ role: SyncRole?) throws -> SyncRole {
        guard let role else { throw ReportError(description: "this program keeps nothing in step") }
        return role
    }
}
