internal import FileSystem
internal import Locks
internal import Sync
internal import Threads
internal import Vault

extension Placer {
    /// New documents on their way to where they arrive, many at a time.
    struct Making: Sendable {
        let contents: ContentStore
        let root: FilePath
        let table: FolderTable
        /// The folder of the arrivals.
        let place: FilePath

        /// From how many on two threads make them. What takes time is the kernel's work for each file, and more threads
        /// wait for each other there.
        private static let sharedCountMin = 64

        /// What was made.
        struct Made: Sendable {
            /// In order, nil for one that is made, or why it is not.
            var results: [Result<Outcome, any Error>?]
            /// What the volume does not let some of them bear.
            var losses: [ItemID: DressNotes] = [:]
        }

        func make(_ documents: [NewDocument]) throws -> Made {
            let threadCount = documents.count < Self.sharedCountMin ? 1 : 2
            let made = Locked(Made(results: Array(repeating: nil, count: documents.count)))
            let failure = Locked<(any Error)?>(nil)
            SharedWork.perform(threadCount) { thread in
                do {
                    let restorer = try ContentRestorer(contents.vault)
                    let folder = try StorageFolder(at: place)
                    let numbers = stride(from: thread, to: documents.count, by: threadCount)
                    try contents.lookAhead(numbers.compactMap { documents[$0].state.content }, restorer)
                    for number in numbers {
                        var losses = DressNotes()
                        let document = documents[number]
                        let result = make(document, number, in: folder, by: restorer, losses: &losses)
                        guard result != nil || !losses.isEmpty else { continue }
                        made.withLock { [losses] made in
                            made.results[number] = result
                            if !losses.isEmpty { made.losses[document.item] = losses }
                        }
                    }
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
            if let failure = failure.withLock({ $0 }) { throw failure }
            return made.withLock { $0 }
        }

        private func make(
            _ document: NewDocument,
            _ number: Int,
            in folder: StorageFolder,
            by restorer: ContentRestorer,
            losses: inout DressNotes
        ) -> Result<Outcome, any Error>? {
            guard table[document.item] == nil, let target = table.path(of: document.state.place, in: root),
                let content = document.state.content
            else { return .success(.another("it is there already, or its folder is not")) }
            do {
                // Spares what could not be put in place anyway.
                guard try FolderScan.status(at: target) == nil else {
                    return .success(.another("something is at its place"))
                }
                let name = Arrivals.name(of: number)
                losses = try contents.restore(document, content, as: name, in: folder, restorer)
                return nil
            } catch {
                return .failure(error)
            }
        }
    }
}
