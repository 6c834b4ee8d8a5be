import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

/// What is said of devices that do not come to rest.
@Suite("Devices that do not come to rest", .onOwnThreads, .timeLimit(.minutes(5)))
@MainActor
struct WorldFailureTests {
    private func failure(of world: DocumentWorld) async -> String {
        let failure = await #expect(throws: WorldFailure.self) { try await world.settle(seconds: 0.5) }
        return failure?.description ?? ""
    }

    @Test("It is said which document waits for what, where it is sent and where it is to come")
    func slowLines() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let (phone, pad) = try world.devices("phone", "pad")
        try await world.create(ShoppingList.init, "list.txt", on: phone) { $0.items = ["milk"] }
        try await world.settle()
        phone.slowDown(toSeconds: 600)
        try await world.edit(ShoppingList.init, "list.txt", on: phone) { $0.items.append("tea") }
        let sending = await failure(of: world)
        let url = phone.folder.appendingPathComponent("list.txt")
        let cause = try #require(phone.explain(url).first)
        #expect(sending.contains("phone: 1 item is not in step. list.txt: \(cause)"), "\(sending), \(cause)")

        pad.slowDown(toSeconds: 600)
        phone.slowDown(toSeconds: 0)
        try await world.settle([phone])
        let getting = await failure(of: world)
        #expect(getting.contains("pad: 1 item is not in step. list.txt: "), "\(getting)")
        #expect(!getting.contains("phone:"), "\(getting)")
        pad.slowDown(toSeconds: 0)
        try await world.settle()
    }

    @Test("Of many documents the first five are named")
    func many() async throws {
        let world = try DocumentWorld()
        defer { try? world.end() }
        let phone = try world.devices(["phone"])[0]
        try await world.settle()
        phone.slowDown(toSeconds: 600)
        for number in 1...7 {
            try await world.create(ShoppingList.init, "\(number).txt", on: phone) { $0.items = ["\(number)"] }
        }
        let said = await failure(of: world)
        #expect(said.contains("phone: 7 items are not in step."), "\(said)")
        for number in 1...7 { #expect(said.contains(" \(number).txt: ") == (number <= 5), "\(said)") }
        phone.slowDown(toSeconds: 0)
        try await world.settle()
    }
}
