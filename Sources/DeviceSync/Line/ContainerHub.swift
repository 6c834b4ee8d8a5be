package import Foundation
package import HubProtocol

/// A container at a hub. Every call blocks until the hub has answered, on any thread.
///
/// Errors are `HubFailure` for what the hub says, and `LineFailure` for what lies between.
package protocol ContainerHub: Sendable {
    func offer(_ commits: [OfferedCommit]) throws -> CommitAnswers
    /// - Parameter waitSeconds: How long to wait for an entry if there is none yet; 0 to 60.
    func log(after position: UInt64, waitSeconds: Int) throws -> LogPage
    func missing(_ names: [BlobName]) throws -> [BlobName]
    /// Stores blobs, durably. One that is there already stays as it is.
    func store(_ frames: Data) throws
    /// Gets blobs; not all of them if they are too many, and none that the hub does not have.
    func read(_ names: [BlobName]) throws -> [(name: BlobName, blob: Data)]
    /// Says that nothing needs some blobs any more, as of an end of the log.
    ///
    /// - Throws: `HubFailure` with code `conflict` when the log has another end.
    func release(_ names: [BlobName], asOf head: LogHead) throws -> ReleasedBlobs
    /// Who is registered with the account that the container is of, by the hub's word.
    func registrations() throws -> [DeviceListing]
    /// Has the hub refuse a device from now on, durably: it takes no commit of its after that.
    func refuse(_ device: DeviceName) throws
    /// Keeps sealed keys for a device, durably.
    ///
    /// - Throws: `HubFailure` with code `conflict` when others are there under the same generation.
    func keep(_ keys: HubProtocol.WrappedKeys, for device: DeviceName) throws
    func keys(for device: DeviceName) throws -> [HubProtocol.WrappedKeys]
    /// Ends the calls that wait, and all later ones, with errors.
    func close()
    /// After how many seconds a line that is down is tried again, at first and at most.
    var retrySeconds: ClosedRange<Double> { get }
}

extension ContainerHub {
    /// Long enough for a hub that has much else to do, short enough for a person who looks at it.
    package var retrySeconds: ClosedRange<Double> { 0.2...30 }
}

/// What lies between a device and a hub did not let a call through.
package struct LineFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// For a person.
    package let why: String
    /// In sentences: what somebody has to do; nil where it may go on by itself.
    package let remedy: String?
    /// The HTTP status of what has answered in the hub's place; nil where nothing has.
    package let status: Int?

    package init(_ why: String, remedy: String? = nil, status: Int? = nil) {
        (self.why, self.remedy, self.status) = (why, remedy, status)
    }

    /// Whether what was answered may be meant of this one request alone, such as for its size. Of what stands for all requests, a
    /// sign-in or an address where nothing is, nothing is said by one.
    var isOfRequest: Bool {
        guard let status, (400..<500).contains(status) else { return false }
        return ![401, 404, 405, 407, 408, 411, 421, 425, 426, 429].contains(status)
    }

    package var description: String { remedy.map { "\(why). \($0)" } ?? why }
}
