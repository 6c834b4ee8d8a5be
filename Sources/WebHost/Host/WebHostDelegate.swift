package import Foundation
package import HTTPService

/// What a host asks and tells the program.
///
/// The news (the last five) come one at a time and in order, on one serial queue
/// of the host. They MUST return soon; a receiver on the main actor hops there itself. The host keeps its
/// delegate weakly.
package protocol WebHostDelegate: AnyObject, Sendable {
    /// The page, for somebody who may see it. Called for every `GET /`.
    ///
    /// - Parameter proofKey: By what the page knows this host; 64 hexadecimal digits that are to be in the page and nowhere else.
    func page(for request: WebRequest, proofKey: String) async -> WebResponse

    /// A file of an editor, `GET /web/KEY/PATH`. The key is the whole authorisation: answer 404 to an unknown
    /// one, and compare with `WebHost.isEqual(_:_:)`.
    ///
    /// - Parameters:
    ///   - key: 32 hexadecimal digits.
    ///   - path: The rest of the path, decoded; no `.`, `..` or empty component, no NUL. It may be empty, and
    ///     it ends in a slash where the address does.
    func editorFile(key: String, path: String, request: WebRequest) async -> WebResponse

    /// The picture of an item in the browser's list, `GET /thumbnail?tab=T&item=I`. Called for who may see the page.
    ///
    /// - Parameters:
    ///   - tab: The id of the tab that shows the list.
    ///   - item: What the tab calls the item. It is not checked.
    func thumbnail(tab: String, item: String) async -> WebResponse

    /// Where the bytes of an upload go: a place where no item is, on whose folder the host may be let loose.
    /// The folder is made if it is missing.
    ///
    /// Called on a thread of the server, before the first byte. The error's description is shown to the
    /// person.
    ///
    /// - Parameters:
    ///   - tab: The tab's id.
    ///   - batch: Names what was dropped together; letters, digits, `-` and `_`.
    ///   - path: The file's path inside what was dropped; relative, no `.`, `..` or empty component, no NUL.
    func uploadDestination(tab: String, batch: String, path: String) throws -> URL

    /// An upload is whole and closed. Comes before any message that the tab sends after the request was
    /// answered.
    func uploadFinished(_ upload: WebUpload)

    /// A tab is there; messages can be sent to it.
    func tabConnected(_ tab: WebTab)

    /// A tab sent a text message.
    func tab(_ tab: WebTab, received text: String)

    /// A program of another user of this machine wanted to connect, and was refused. Told once of each user.
    func visitorRefused(ofUser user: UInt32)

    /// A tab is gone. One that comes back, under the same id, is another `WebTab`.
    func tabDisconnected(_ tab: WebTab)
}

/// A file that came whole.
package struct WebUpload: Hashable, Sendable {
    /// The tab's id.
    package var tab: String
    /// Names what was dropped together.
    package var batch: String
    /// The file's path inside what was dropped.
    package var path: String
    /// Where the bytes are.
    package var url: URL
    /// How many there are.
    package var byteCount: UInt64
}

/// One connection of a browser tab.
package final class WebTab: Sendable, CustomStringConvertible {
    /// The 32 hexadecimal digits that the tab chose; the same after a reload.
    package let id: String
    let connection: WebSocketConnection

    init(id: String, connection: WebSocketConnection) {
        self.id = id
        self.connection = connection
    }

    /// Sends a text message behind those before it.
    ///
    /// Any thread; never blocks. Without effect on a tab that is gone. A tab that leaves more unread than the
    /// configuration allows is cut, and hears everything anew when it comes back.
    package func send(_ text: String) {
        connection.send(text)
    }

    /// The longest message that is sent without the risk that the tab is cut over it, in bytes: there is room left for others.
    package var messageByteCountMax: Int { connection.limits.unsentByteCountMax / 4 * 3 }

    /// Closes the connection behind the messages that wait.
    ///
    /// Any thread; never blocks.
    ///
    /// - Parameters:
    ///   - code: 1000, or one from 3000 to 4999.
    ///   - reason: Text for the other side, of which 122 bytes go out.
    package func close(code: UInt16, reason: String) {
        precondition(
            code == 1000 || (3000...4999).contains(code),
            "closed a tab with the reserved code \(code)"
        )
        connection.close(code: code, reason: reason)
    }

    package var description: String { "tab \(id.prefix(8))" }
}
