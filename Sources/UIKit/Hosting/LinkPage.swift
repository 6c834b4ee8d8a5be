internal import FileSystem
internal import Foundation

/// A page in a file that only this user can read, and that leads a browser on to a link.
struct LinkPage: Hashable, Sendable {
    /// Where it is: in a folder of this user's alone.
    let path: String

    /// Writes it in the place of the one before, whole or not at all.
    ///
    /// - Parameter link: An address of hexadecimal digits, which means nothing in HTML.
    /// - Returns: Its own address.
    func lead(to link: String) throws(SystemError) -> URL {
        let page = """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(link)">
            <title>Documents</title>
            <p><a href="\(link)">Go on to the documents</a></p>
            </html>

            """
        let save = try StagedSave(item: FilePath(path), followsSymbolicLink: false)
        try save.write(Data(page.utf8))
        try save.commit(MemberAttributes(permissions: 0o600))
        return URL(fileURLWithPath: path)
    }

    /// Removes it, if it is there.
    func remove() {
        // What cannot be removed leads to where nobody is: its link worked once.
        _ = unlink(path)
    }
}
