import Foundation
import Locks
import TestThreads
import Testing

@testable import DocumentFoundation

/// What is told of items while they come, change and go, and what stays the same then.
@Suite("Query updates", .onOwnThreads, .serialized, .timeLimit(.minutes(1)))
struct QueryUpdatesTests {
    private let stage: QueryStage

    init() throws { stage = try QueryStage() }

    /// Has something done whenever the query posts a notification, until what is returned is removed.
    private func at(
        _ name: Notification.Name,
        _ body: @escaping @Sendable (NSMetadataQuery) -> Void
    ) -> any NSObjectProtocol {
        let query = stage.query
        return NotificationCenter.default.addObserver(forName: name, object: query, queue: nil) { _ in
            body(query)
        }
    }

    @Test("While many go and others change every result is there to be asked for, and each end is told once")
    func removals() throws {
        let numbers = 0..<200
        for number in numbers { try stage.write("\(number)") }
        let observer = at(.NSMetadataQueryDidUpdate) { query in
            for index in 0..<query.resultCount { _ = query.result(at: index) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        stage.gather()
        for number in numbers {
            try stage.write("stays", "\(number)")
            try FileManager.default.removeItem(at: stage.url("\(number)"))
        }
        stage.wait("every end") { $0.flatMap(\.removed).count >= numbers.count }
        let removed = stage.updates.flatMap(\.removed).map { QueryStage.name($0) }
        #expect(removed.sorted() == numbers.map(String.init).sorted())
        #expect(stage.names() == ["stays"])
    }
}
