package import Coordination
internal import Foundation
package import LocalSockets

/// Asks an agent what it knows, without being one of those that coordinate.
package enum AgentQuery {
    /// Who uses what, and who waits for whom.
    ///
    /// Blocks until the agent has answered.
    ///
    /// - Parameter folder: Where the agent is.
    /// - Returns: Nil when there is no agent.
    /// - Throws: `AgentError` when the agent ends the conversation or does not answer.
    package static func report(in folder: RuntimeFolder) throws -> CoordinationReport? {
        do {
            return try report(in: folder, speaking: ClientHello.versions.upperBound)
        } catch is UnknownVersion {
            // The report is the same in all versions. An agent of the first takes no other.
            return try report(in: folder, speaking: ClientHello.versions.lowerBound)
        }
    }

    /// The agent has no version as early as this.
    private struct UnknownVersion: Error, CustomStringConvertible {
        let description: String
    }

    private static func report(
        in folder: RuntimeFolder,
        speaking version: UInt64
    ) throws -> CoordinationReport? {
        let socket: LocalSocket
        do {
            socket = try LocalSocket(connectingTo: folder.place(of: AgentPlace.socketName))
        } catch {
            if error.isNobodyThere { return nil }
            throw error
        }
        var writer = WireWriter()
        let hello = ClientHello(
            version: version,
            client: ClientID(UInt64.random(in: 1...UInt64.max)),
            processID: UInt64(getpid()),
            processName: ProcessInfo.processInfo.processName
        )
        ClientMessage.hello(hello).write(to: &writer)
        ClientMessage.reportWanted.write(to: &writer)
        var unsent = SendBuffer()
        // Two messages are far shorter than what a socket takes at once.
        _ = unsent.send(writer.bytes, to: socket)
        return try JSONDecoder().decode(CoordinationReport.self, from: Data(try answer(from: socket)))
    }

    private static func answer(from socket: LocalSocket) throws -> [UInt8] {
        var (frames, json): (FrameBuffer, [UInt8]) = (FrameBuffer(), [])
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
        defer { buffer.deallocate() }
        while socket.waitUntilReadable(milliseconds: answerLimitMilliseconds) {
            guard case .bytes(let count) = socket.receive(into: buffer) else { break }
            frames.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            while let frame = try frames.next() {
                switch try AgentMessage(frame: frame) {
                case .report(let part, let isLast):
                    json += part
                    if isLast { return json }
                case .goodbye(.versionUnknown, let reason): throw UnknownVersion(description: reason)
                case .goodbye(_, let reason): throw AgentError.silent(reason)
                default: break
                }
            }
        }
        throw AgentError.silent("The agent does not answer.")
    }

    private static let answerLimitMilliseconds: Int32 = 5000
}
