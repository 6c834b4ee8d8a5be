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

        /// - Returns: In order, nil for one that is made, or why it is not.
        func make(_ documents: [NewDocument]) throws -> [Result<Outcome, any Error>?] {
            let threadCount = documents.count < Self.sharedCountMin ? 1 : 2
            let results = Locked([Result<Outcome, any Error>?](repeating: nil, count: documents.count))
            let failure = Locked<(any Error)?>(nil)
            SharedWork.perform(threadCount) { thread in
                do {
                    let restorer = try ContentRestorer(contents.vault)
                    let folder = try StorageFolder(at: place)
                    let numbers = stride(from: thread, to: documents.count, by: threadCount)
                    try contents.lookAhead(numbers.compactMap { documents[$0].state.content }, restorer)
                    for number in numbers {
                        let result = make(documents[number], number, in: folder, by: restorer)
                        if let result { results.withLock { $0[number] = result } }
                    }
                } catch {
                    failure.withLock { $0 = $0 ?? error }
                }
            }
            if let failure = failure.withLock({ $0 }) { throw failure }
            return results.withLock { $0 }
        }

        private func make(
            _ document: NewDocument,
            _ number: Int,
            in folder: StorageFolder,
            by restorer: ContentRestorer
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
                try contents.restore(content, as: name, in: folder, modified: document.modified, restorer)
                if try ContentStore.contents(content).kind != .symbolicLink {
                    let mark = document.item.mark
                    try FileIdentity.give(mark, toItemAt: place.appending(name), replacing: true)
                }
                return nil
            } catch {
                return .failure(error)
            }
        }
    }
}
