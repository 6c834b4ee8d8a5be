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

    package init(from reader: inout PlainReader) throws(NotPlain) {
        self = try reader.object { (reader) throws(NotPlain) in
            try reader.key("commits")
            return CommitOffer(try reader.array(OfferedCommit.init(from:)))
        }
    }
}

extension OfferedCommit {
    fileprivate init(from reader: inout PlainReader) throws(NotPlain) {
        self = try reader.object { (reader) throws(NotPlain) in
            try reader.key("item")
            let item: ItemName = try reader.name()
            try reader.key("base")
            let base = try reader.number()
            try reader.key("id")
            let id: CommitName = try reader.name()
            try reader.key("record")
            return OfferedCommit(item: item, base: base, id: id, record: try reader.base64())
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

extension CommitAnswers: PlainMessage {
    package func write(to writer: inout PlainWriter) {
        writer.object { writer in
            writer.key("answers")
            writer.array(answers) { writer, answer in
                writer.object { writer in
                    switch answer {
                    case .accepted(let position):
                        writer.key("accepted")
                        writer.number(position)
                    case .refused(let position):
                        writer.key("refused")
                        writer.number(position)
                    }
                }
            }
            writer.key("head")
            head.write(to: &writer)
        }
    }

    package init(from reader: inout PlainReader) throws(NotPlain) {
        self = try reader.object { (reader) throws(NotPlain) in
            try reader.key("answers")
            let answers = try reader.array(CommitAnswer.init(from:))
            try reader.key("head")
            return CommitAnswers(answers, head: try LogHead(from: &reader))
        }
    }
}

extension CommitAnswer {
    fileprivate init(from reader: inout PlainReader) throws(NotPlain) {
        self = try reader.object { (reader) throws(NotPlain) in
            if reader.begins(with: "accepted") {
                try reader.key("accepted")
                return .accepted(try reader.number())
            }
            try reader.key("refused")
            return .refused(try reader.number())
        }
    }
}
