internal import Dispatch
internal import Foundation
internal import HubProtocol
internal import Sealing

/// What two devices that pair say to each other, by way of the hub.
final class PairingRelay {
    private let side: PairingSide
    private let say: (PairingMessage) throws -> Void
    private let messages: (_ after: Int) throws -> [NumberedPairingMessage]
    private var heard = 0
    private let begun = Date()
    private var patience: LinePatience
    private let tooOften: AskedTooOften

    private static let waitSeconds = 20

    convenience init(_ client: HubClient, _ pairing: String, as side: PairingSide) {
        self.init(as: side) {
            try client.say($0, in: pairing)
        } messages: {
            try client.messages(of: pairing, after: $0, waitSeconds: Self.waitSeconds)
        }
    }

    /// - Parameters:
    ///   - say: Has the hub keep a message.
    ///   - messages: Gives all that come after one of a number, as soon as there is one.
    ///   - pauseSeconds: For how long a hub is left alone that was asked too often, or cannot be had. The first side has asked it
    ///     already; where the second finds none, that is said at once.
    init(
        as side: PairingSide,
        pauseSeconds: Double = 2,
        say: @escaping (PairingMessage) throws -> Void,
        messages: @escaping (_ after: Int) throws -> [NumberedPairingMessage]
    ) {
        (self.side, self.say, self.messages) = (side, say, messages)
        patience = LinePatience(wasThere: side == .first, pauseSeconds: pauseSeconds)
        tooOften = AskedTooOften(pauseSeconds: pauseSeconds)
    }

    private let pause = DispatchSemaphore(value: 0)

    /// Sends a message. One that comes twice counts once.
    ///
    /// - Parameter isPatient: Whether a line that is lost is waited for.
    func send(_ message: [UInt8], isPatient: Bool = true) throws {
        while true {
            do {
                try tooOften.patiently { try say(PairingMessage(from: side, message: Data(message))) }
                return patience.regain()
            } catch let failure as LineFailure {
                guard isPatient, let seconds = patience.pause(after: failure) else { throw failure }
                rest(seconds)
            }
        }
    }

    /// The hub counts in whole seconds, and has begun to before this device.
    private var isAsOldAsPairingsGet: Bool {
        Date().timeIntervalSince(begun) > Double(PairingLimits.seconds) - 5
    }

    private func rest(_ seconds: Double) { _ = pause.wait(timeout: .now() + seconds) }

    /// What the other side has said, or how late it is.
    func hear() throws -> [PairingEvent] {
        let messages: [NumberedPairingMessage]
        do {
            messages = try tooOften.patiently { try self.messages(heard) }
            patience.regain()
        } catch let failure as HubFailure where failure.error.code == .notFound && isAsOldAsPairingsGet {
            // To the hub it is over in this very second.
            return [.time(PairingLimits.seconds)]
        } catch let failure as LineFailure {
            guard let seconds = patience.pause(after: failure) else { throw failure }
            rest(seconds)
            return [.time(Int(Date().timeIntervalSince(begun)))]
        }
        heard = messages.last?.number ?? heard
        let others = messages.filter { $0.from != side }.map { [UInt8]($0.message) }
        return Self.events(of: others, after: Int(Date().timeIntervalSince(begun)))
    }

    /// What has come of the other side, or how late it is: also where something has come, once the hub has long had to have
    /// forgotten the pairing. One that says the same again and again does not keep this from ending.
    static func events(of messages: [[UInt8]], after seconds: Int) -> [PairingEvent] {
        let isBeyond = seconds >= PairingLimits.seconds + graceSeconds
        return messages.map(PairingEvent.message) + (messages.isEmpty || isBeyond ? [.time(seconds)] : [])
    }

    private static let graceSeconds = 30
}
