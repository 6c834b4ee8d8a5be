import ChangeSets
import Testing

extension ChangeRecorder {
    /// Takes in what another device has recorded.
    func hear(from other: ChangeRecorder) throws {
        let vector = try withReplica { $0.vector }
        let batch = try #require(try other.withReplica { $0.encodedChanges(since: vector) })
        try withReplica { _ = try $0.apply(batch) }
    }

    /// Both take in what the other one has recorded.
    func exchange(with other: ChangeRecorder) throws {
        try other.hear(from: self)
        try hear(from: other)
    }
}
