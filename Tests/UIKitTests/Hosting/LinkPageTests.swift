import Foundation
import TestFolders
import Testing

@testable import UIKit

@Suite("LinkPage")
struct LinkPageTests {
    @Test("Only its user can read it, it leads to the newest link, and is gone when it was removed")
    func page() throws {
        let folder = try TestFolder("link-page")
        let page = LinkPage(path: folder.url.appendingPathComponent("app.html").path)
        for token in ["0123", "4567"] {
            let link = "http://127.0.0.1:1/?token=\(token)"
            let address = try page.lead(to: link)
            #expect(address.path == page.path)
            #expect(try String(contentsOf: address, encoding: .utf8).contains("content=\"0; url=\(link)\""))
            let attributes = try FileManager.default.attributesOfItem(atPath: page.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["app.html"])
        page.remove()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).isEmpty)
    }
}
