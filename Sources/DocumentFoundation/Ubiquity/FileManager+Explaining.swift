internal import FileSystem
public import Foundation
internal import LocalSockets
internal import Locks
internal import SyncMessages
internal import Threads

extension FileManager {
    /// Says why an item is as it is on this device and at the hub, be its contents here or not, and what helps.
    ///
    ///     let explanation = try FileManager.default.explainUbiquitousItem(at: document.fileURL)
    ///     if !explanation.isSettled { show(explanation.causes.map(\.text), explanation.next) }
    ///
    /// Asks the process that keeps folders in step, and blocks until it has answered: not for the main thread.
    ///
    /// - Parameter url: The item; a name that nothing has is explained, too.
    /// - Throws: `CocoaError`: `ubiquitousFileUbiquityServerNotAvailable` when `sheaf up` does not run;
    ///   `ubiquitousFileUnavailable` for what is in no container.
    /// - Source: ours; what `sheaf explain` says.
    public func explainUbiquitousItem(at url: URL) throws -> SyncExplanation {
        let account = UbiquityAccount.of(url)
        do {
            let path = try FileManager.containerPath(of: url, in: account)
            guard let found = try SyncQuery.explain(path, in: try account.runtime()) else {
                throw FileManager.notInContainer(url)
            }
            return SyncExplanation(found)
        } catch {
            throw CocoaError.asking(about: url, error)
        }
    }

    /// Says why an item is as it is, now and whenever that is something else, until whoever reads ends.
    ///
    ///     for try await explanation in FileManager.default.ubiquitousItemExplanations(at: url) { show(explanation) }
    ///
    /// Nothing runs while nothing happens. Of what happens while nobody reads, only the newest is kept.
    ///
    /// - Parameter url: The item.
    /// - Returns: What throws as `explainUbiquitousItem(at:)` does, also when `sheaf up` ends.
    /// - Source: ours.
    public func ubiquitousItemExplanations(at url: URL) -> AsyncThrowingStream<SyncExplanation, any Error> {
        let (stream, reader) = AsyncThrowingStream.makeStream(
            of: SyncExplanation.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let account = UbiquityAccount.of(url)
        let conversation: SyncConversation
        do {
            let path = try FileManager.containerPath(of: url, in: account)
            conversation = try SyncConversation(.followExplanation(path: path), in: try account.runtime())
        } catch {
            reader.finish(throwing: CocoaError.asking(about: url, error))
            return stream
        }
        let isEnded = Locked(false)
        reader.onTermination = { _ in
            isEnded.withLock { $0 = true }
            conversation.end()
        }
        OwnThread.startInTime("sheaf explanations") {
            do {
                while let answer = try conversation.next(milliseconds: -1) {
                    switch answer {
                    case .explanation(let found?): reader.yield(SyncExplanation(found))
                    case .explanation(nil): throw FileManager.notInContainer(url)
                    case .refused(let refusal): throw refusal
                    default: continue
                    }
                }
                throw SyncServiceError.ended
            } catch {
                let isOver = isEnded.withLock { $0 }
                reader.finish(throwing: isOver ? nil : CocoaError.asking(about: url, error))
            }
        }
        return stream
    }

    private static func containerPath(of url: URL, in account: UbiquityAccount) throws -> String {
        guard let path = FilePath(url) else { throw notInContainer(url) }
        // A folder that is not there has nothing in it under any name.
        let resolved = (try? path.resolvedInFolder()) ?? path
        guard account.joined.folder(of: resolved) != nil else { throw notInContainer(url) }
        return (Placeholder.itemPlace(of: resolved) ?? resolved).string
    }

    private static func notInContainer(_ url: URL) -> SyncRefusal {
        SyncRefusal(.notInContainer, "“\(url.path)” is in no folder that is kept in step.")
    }
}
