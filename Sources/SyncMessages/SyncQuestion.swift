internal import Foundation

/// What other processes ask the one that keeps folders in step: one line of JSON on a connection of its own.
package enum SyncQuestion: Codable, Hashable, Sendable {
    case status
    /// How all folders stand, without a name in it.
    case diagnosis
    case explain(path: String)
    /// Why an item is as it is, now and whenever that is something else, until who asks ends the connection.
    case followExplanation(path: String)
    /// How one item stands.
    case item(path: String)
    /// How all items below a folder stand.
    case items(folder: String)
    /// How those items stand that are directly in a folder and are not simply here as they are at the hub, folders in which
    /// something is not among them.
    case unsettled(folder: String)
    /// What a large change below a folder is to become: it goes on, or who made it gets back what was.
    case decide(folder: String, goesOn: Bool)
    /// What the last large change that has gone on has removed or replaced is to be what it was.
    case goBack(folder: String)
    /// What large changes wait for a person in the container that a folder is in, and which has gone on, now and whenever that is
    /// something else, until who asks ends the connection.
    case followLargeChanges(folder: String)
    /// From now on a person is to be asked about larger or smaller changes; it is kept already.
    case limit(folder: String, BrakeLimits)
    case evict(path: String)
    /// - isAwaited: Whether the answer is to come when the contents are here, with what has come until then.
    case download(path: String, isAwaited: Bool)
    /// Has nothing done about an item, or all documents that are below a folder now, until they are resumed.
    ///
    /// - by: Who wants it, for people.
    case pause(path: String, by: String)
    case resume(path: String, SyncResumption)
    /// What is here of a paused item is to be sent. The answer comes when the hub has it.
    case offer(path: String)
    /// What the hub has of an item is to come here: of a paused one as a version beside it. The answer comes then.
    case fetchLatest(path: String)
    /// What has happened lately, oldest first; followed: and what happens, until who asks ends the connection.
    case log(isFollowed: Bool)
    /// From now on, what becomes otherwise of an item or below it, until who asks ends the connection.
    ///
    /// - isDeep: Whether what is in folders in it counts. If not, a folder in it says what is the matter in it.
    case follow(path: String, isDeep: Bool)
}

/// What they are told: one line of JSON, or several of what takes its time.
package enum SyncAnswer: Codable, Hashable, Sendable {
    case status([FolderStatus])
    case diagnosis([SyncDiagnosis])
    /// Of a followed one more lines follow.
    case explanation(Explanation?)
    case item(ItemSyncState?)
    case items([ItemSyncState])
    /// More lines follow.
    case progress(ItemSyncState.Share)
    /// Where an item is whose contents have come, if it has been moved since somebody asked for them. More lines follow.
    case moved(to: String)
    case done
    /// What was asked for is a version that the user's vault has of the item now.
    case version([UInt8])
    case refused(SyncRefusal)
    case goesBack(WayBack)
    /// More lines follow.
    case largeChanges(LargeChanges)
    /// More lines follow.
    case event(SyncEvent)
    /// How items stand now that stand otherwise than before, and whether all below the folder is in step as far as is
    /// known. More lines follow; the first comes when nothing is missed any more.
    case changed([ItemSyncState], isSettled: Bool)
}

/// Lines of JSON.
package enum SyncLine {
    package static func bytes(_ value: some Encodable) throws -> [UInt8] {
        [UInt8](try JSONEncoder().encode(value)) + [UInt8(ascii: "\n")]
    }

    package static func value<Value: Decodable>(_ line: [UInt8]) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(line))
    }
}
