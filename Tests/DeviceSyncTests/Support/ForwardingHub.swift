import Foundation
import HubProtocol

@testable import DeviceSync

/// A hub that passes on to another what it does not do by itself.
protocol ForwardingHub: ContainerHub {
    var hub: any ContainerHub { get }
}

extension ForwardingHub {
    func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers { try hub.offer(commits) }
    func log(after position: UInt64, waitSeconds: Int) throws -> LogPage {
        try hub.log(after: position, waitSeconds: waitSeconds)
    }
    func missing(_ names: [BlobName]) throws -> [BlobName] { try hub.missing(names) }
    func store(_ frames: Data) throws { try hub.store(frames) }
    func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)] { try hub.read(names) }
    func release(_ names: [BlobName], asOf head: LogHead) throws -> ReleasedBlobs {
        try hub.release(names, asOf: head)
    }
    func registrations() throws -> [DeviceListing] { try hub.registrations() }
    func refuse(_ device: DeviceName) throws { try hub.refuse(device) }
    func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws {
        try hub.keep(keys, for: device)
    }
    func keys(for device: DeviceName) throws -> [HubProtocol.WrappedKeys] { try hub.keys(for: device) }
    func close() { hub.close() }
}
