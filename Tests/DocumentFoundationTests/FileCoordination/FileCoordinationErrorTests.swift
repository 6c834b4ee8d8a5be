import Foundation
import TestThreads
import Testing

@testable import DocumentFoundation

@Suite("FileCoordinationError", .onOwnThreads)
struct FileCoordinationErrorTests {
    @Test("An error that was handed over as NSError becomes what it was")
    func roundTrip() throws {
        let url = URL(fileURLWithPath: "/documents/Letter.txt")
        let codes: [FileCoordinationError.Code] = [.presenterTimedOut, .deadlock, .claimLost, .agentSilent]
        for code in codes {
            let parties = code == .deadlock ? ["A in B (process 1)", "C in D (process 2)"] : []
            let error = FileCoordinationError(code, url: url, detail: "why", deadlockParties: parties)
            let objects: [any Error] = [
                error,
                NSError(
                    domain: "FileCoordinationErrorDomain",
                    code: error.errorCode,
                    userInfo: error.errorUserInfo
                ),
                error as NSError,
            ]
            for object in objects {
                let found = try #require(FileCoordinationError(object))
                #expect(found.code == code)
                #expect(found.url == url)
                #expect(found.detail == "why")
                #expect(found.deadlockParties == parties)
            }
        }
    }

    @Test("Other errors are none of these")
    func others() {
        let info = [NSURLErrorKey: URL(fileURLWithPath: "/a")]
        for error in [
            NSError(domain: NSCocoaErrorDomain, code: 1, userInfo: info),
            NSError(domain: FileCoordinationError.errorDomain, code: 99, userInfo: info),
            NSError(domain: FileCoordinationError.errorDomain, code: 1),
        ] {
            #expect(FileCoordinationError(error) == nil)
        }
        #expect(FileCoordinationError(CocoaError(.userCancelled)) == nil)
    }
}
