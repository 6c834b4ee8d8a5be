package import Foundation
package import HubProtocol
package import Sync
package import Vault

/// What makes of a container's contents and commits something that the hub can keep and cannot read.
package protocol ContainerSeal: Sendable {
    /// What the hub calls an object.
    func blobName(of object: VaultObject) throws -> BlobName
    /// Seals an object as it travels.
    func seal(_ packed: [UInt8], of object: VaultObject) throws -> Data
    /// Opens what the hub gave for an object.
    ///
    /// - Throws: When it is not what was sealed as this object.
    func open(_ sealed: Data, of object: VaultObject) throws -> [UInt8]
    /// Seals a commit.
    func seal(_ commit: Commit) throws -> OfferedCommit
    /// Opens an entry of the log.
    ///
    /// - Throws: When no device of the container's has sealed this as an entry about this item.
    func open(_ record: LogRecord) throws -> Commit
}

/// A container at a hub. Every call blocks until the hub has answered, on any thread.
///
/// Errors are `HubFailure` for what the hub says, and others for what lies between.
package protocol ContainerHub: Sendable {
    func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers
    /// - Parameter waitSeconds: How long to wait for an entry if there is none yet; 0 to 60.
    func log(after position: UInt64, waitSeconds: Int) throws -> LogPage
    func missing(_ names: [BlobName]) throws -> [BlobName]
    /// Stores blobs, durably. One that is there already stays as it is.
    func store(_ frames: Data) throws
    /// Gets blobs; not all of them if they are too many, and none that the hub does not have.
    func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)]
    /// Ends the calls that wait, and all later ones, with errors.
    func close()
}
