import Foundation
import HubProtocol
import Testing

@testable import Hub

/// Several people at one hub.
@Suite("Accounts")
struct AccountTests {
    @Test("An invitation of the command's makes one account, once, and not too late")
    func invitations() async throws {
        let folder = try HubFolder()
        let store = try SQLiteRecordStore(in: try folder.open())
        func leave(_ hash: UInt8, makesAccount: Bool) throws {
            let invitation = InvitationFiles.Invitation(until: 100, account: makesAccount ? nil : .first)
            try InvitationFiles.add(hash: [hash], invitation, in: store.invitations)
        }
        try leave(1, makesAccount: false)
        #expect(try await store.register(.numbered(1), invitationHash: [1], now: 99) == .first)
        try leave(2, makesAccount: true)
        let second = try #require(try await store.register(.numbered(2), invitationHash: [2], now: 99))
        #expect(second != .first)
        // Left once more, as when the hub died before it was gone.
        try leave(2, makesAccount: true)
        #expect(try await store.register(.numbered(3), invitationHash: [2], now: 99) == nil)
        try leave(3, makesAccount: true)
        #expect(try await store.register(.numbered(4), invitationHash: [3], now: 101) == nil)
        try leave(4, makesAccount: true)
        let third = try #require(try await store.register(.numbered(5), invitationHash: [4], now: 99))
        #expect(third.number == second.number + 1)
        // Whom a device invites is in its account.
        try await store.addInvitation(hash: [5], to: second, by: nil, until: 100)
        #expect(try await store.register(.numbered(6), invitationHash: [5], now: 99) == second)
        // One of an account that there is.
        let own = InvitationFiles.Invitation(until: 100, account: third)
        try InvitationFiles.add(hash: [6], own, in: store.invitations)
        #expect(try await store.register(.numbered(7), invitationHash: [6], now: 99) == third)
        let again = try SQLiteRecordStore(in: try folder.open())
        #expect(again.caller(tokenHash: [6])?.account == second)
        #expect(try await again.devices(of: second).count == 2)
        #expect(try await again.devices(of: .first).count == 1)
    }

    @Test("What a device has invited with is worth nothing once it is revoked, and who came by it is known")
    func inviters() async throws {
        let folder = try HubFolder()
        let store = try SQLiteRecordStore(in: try folder.open())
        let first = try await store.prepare()
        for hash in [UInt8(5), 6] {
            try await store.addInvitation(hash: [hash], to: .first, by: first.device, until: 100)
        }
        try await store.addInvitation(hash: [7], to: .first, by: nil, until: 100)
        #expect(try await store.register(.numbered(5), invitationHash: [5], now: 99) == .first)
        #expect(try await store.revoke(first.device, of: .first))
        #expect(try await store.register(.numbered(6), invitationHash: [6], now: 99) == nil)
        // A request to invite that had begun before.
        try await store.addInvitation(hash: [8], to: .first, by: first.device, until: 100)
        #expect(try await store.register(.numbered(8), invitationHash: [8], now: 99) == nil)
        #expect(try await store.register(.numbered(7), invitationHash: [7], now: 99) == .first)
        let again = try SQLiteRecordStore(in: try folder.open())
        #expect(try await again.register(.numbered(6), invitationHash: [6], now: 99) == nil)
        let listed = try await again.devices(of: .first)
        let inviters = Dictionary(uniqueKeysWithValues: listed.map { ($0.device, $0.inviter) })
        let expected: [DeviceName: DeviceName?] = [
            first.device: nil, NewDevice.numbered(5).device: first.device, NewDevice.numbered(7).device: nil,
        ]
        #expect(inviters == expected)
    }
}
