package import Foundation

/// A commit as a device offers it.
package struct OfferedCommit: Codable, Hashable, Sendable {
    package var item: ItemName
    /// The position of the last commit about the item that the device knew of; 0 for none.
    package var base: UInt64
    package var id: CommitName
    /// Sealed; at most `HubLimits.recordByteCountMax`.
    package var record: Data

    package init(item: ItemName, base: UInt64, id: CommitName, record: Data) {
        (self.item, self.base, self.id, self.record) = (item, base, id, record)
    }
}

/// `POST /v1/containers/{container}/commits`: commits to be taken or refused in this order, each for itself.
package struct CommitOffer: Codable, Hashable, Sendable {
    /// At most `HubLimits.commitCountMax`.
    package var commits: [OfferedCommit]

    package init(_ commits: [OfferedCommit]) { self.commits = commits }
}

extension CommitOffer: PlainMessage {
    package func write(to writer: inout PlainWriter) {
        writer.object { writer in
            writer.key("commits")
            writer.array(commits) { writer, commit in
                writer.object { writer in
                    writer.key("item")
                    writer.name(commit.item)
                    writer.key("base")
                    writer.number(commit.base)
                    writer.key("id")
                    writer.name(commit.id)
                    writer.key("record")
                    writer.base64(commit.record)
                }
            }
        }
    }
}

/// What became of one commit.
package enum CommitAnswer: Codable, Hashable, Sendable {
    /// It is in the log at this position, durably.
    case accepted(UInt64)
    /// The item's last commit is another one, at this position (0: there is none): read the log to there first.
    case refused(UInt64)

    private enum Key: String, CodingKey { case accepted, refused }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let position = try container.decodeIfPresent(UInt64.self, forKey: .accepted) {
            self = .accepted(position)
        } else {
            self = .refused(try container.decode(UInt64.self, forKey: .refused))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .accepted(let position): try container.encode(position, forKey: .accepted)
        case .refused(let position): try container.encode(position, forKey: .refused)
        }
    }
}

/// The answer to an offer: one answer for each commit, in their order.
package struct CommitAnswers: Codable, Hashable, Sendable {
    package var answers: [CommitAnswer]
    /// The end of the log when all of them were in it. Others' commits may lie between those accepted.
    package var head: LogHead

    package init(_ answers: [CommitAnswer], head: LogHead) { (self.answers, self.head) = (answers, head) }
}
