import DocumentTesting
import Foundation
import TestThreads
import Testing
import UIKit

@Suite("Large changes in a world", .onOwnThreads, .timeLimit(.minutes(15)))
@MainActor
struct WorldLargeChangeTests {
    private let world: DocumentWorld
    private let phone: WorldDevice
    private let pad: WorldDevice
    private static let names = (1...24).map { "\($0).txt" }

    init() async throws {
        world = try DocumentWorld()
        (phone, pad) = try world.devices("phone", "pad")
        for name in Self.names {
            try await world.create(ShoppingList.init, name, on: phone) { $0.items = ["milk"] }
        }
        try await world.settle()
    }

    /// Edits each document on the phone until somebody is asked.
    ///
    /// - Returns: What `settle()` has said then, and which document is the last that was edited.
    private func editUntilAsked() async throws -> (failure: WorldFailure?, number: Int) {
        for (number, name) in Self.names.enumerated() {
            try await world.edit(ShoppingList.init, name, on: phone) { $0.items = ["jam"] }
            // Longer than this test may take: nothing else is going on then, so nobody waits to be told.
            do { try await world.settle(seconds: 600) } catch let failure as WorldFailure {
                return (failure, number)
            }
        }
        return (nil, Self.names.count)
    }

    @Test("A world in which each of many documents is edited waits for a person, says how, and goes on")
    func goesOn() async throws {
        defer { try? world.end() }
        let (failure, number) = try await editUntilAsked()
        #expect(number == 19)
        #expect(failure.map { "\($0)" }?.contains("decideLargeChange(goesOn:)") == true)
        #expect(phone.hasWaitingLargeChange && !pad.hasWaitingLargeChange)
        // The other one is asked, too, as soon as it hears of it.
        #expect(!pad.decideLargeChange(goesOn: true) && phone.decideLargeChange(goesOn: true))
        for name in Self.names.dropFirst(number + 1) {
            try await world.edit(ShoppingList.init, name, on: phone) { $0.items = ["jam"] }
            for device in [phone, pad] where device.hasWaitingLargeChange {
                device.decideLargeChange(goesOn: true)
            }
        }
        while true {
            do {
                try await world.settle()
                break
            } catch let failure as WorldFailure {
                let asked = [phone, pad].filter(\.hasWaitingLargeChange)
                guard !asked.isEmpty else { throw failure }
                for device in asked { device.decideLargeChange(goesOn: true) }
            }
        }
        for name in Self.names {
            try await world.look(ShoppingList.init, name, on: pad) { #expect($0.items == ["jam"], "\(name)") }
        }
        #expect(!phone.hasWaitingLargeChange)
    }

    @Test("What is not to go on is put back on the device where it was done")
    func putBack() async throws {
        defer { try? world.end() }
        let (_, number) = try await editUntilAsked()
        #expect(phone.decideLargeChange(goesOn: false))
        try await world.settle()
        for device in [phone, pad] {
            try await world.look(ShoppingList.init, Self.names[number], on: device) {
                #expect($0.items == ["milk"])
            }
            try await world.look(ShoppingList.init, Self.names[0], on: device) {
                #expect($0.items == ["jam"])
            }
        }
        phone.stop()
        #expect(!phone.hasWaitingLargeChange && !phone.decideLargeChange(goesOn: true))
    }
}
