internal import Foundation
internal import HTTPService
internal import HubProtocol
internal import Locks

extension HubService {
    func register(_ registration: DeviceRegistration) async throws -> WebResponse {
        guard registration.name.utf8.count <= HubLimits.labelByteCountMax else {
            throw HubRefusal.malformed("A device's name has \(HubLimits.labelByteCountMax) bytes at most.")
        }
        // Other people see it: the hub's owner on a terminal, and everybody who shares something with the device.
        guard registration.hasPlainName else {
            throw HubRefusal.malformed(
                "A device's name has no control characters, such as a line's end. Choose another name."
            )
        }
        try checkSignature(of: registration)
        let token = try Secrets.token()
        let device = NewDevice(
            device: try Secrets.deviceName(),
            tokenHash: try Secrets.hash(token),
            name: registration.name,
            signingKey: registration.signingKey,
            agreementKey: registration.agreementKey
        )
        let hash = try Secrets.invitationHash(registration.invitation)
        let name = try await register(device, invitationHash: hash)
        noteWritten()
        return .json(DeviceCredentials(device: name, token: token), status: 201)
    }

    /// Registers a device; one that is registered already, and asks again as it has not heard the answer, as what it was.
    private func register(_ device: NewDevice, invitationHash hash: [UInt8]) async throws -> DeviceName {
        let (now, uptime) = (clock.now(), clock.uptime())
        if try await records.register(device, invitationHash: hash, now: now, uptime: uptime) != nil {
            return device.device
        }
        let known = try await records.registerAgain(device, invitationHash: hash, now: now, uptime: uptime)
        if let known { return known.device }
        throw HubRefusal(
            403,
            .badInvitation,
            "This invitation is wrong, used or too old. Get another one, with “sheaf hub invite” or "
                + "from a device that is registered."
        )
    }

    /// Refuses who asks for a device to be registered under keys that are another's: those who have them refuse devices by their
    /// keys, and spare those who stay.
    private func checkSignature(of registration: DeviceRegistration) throws {
        guard registration.signature != nil else {
            throw HubRefusal.malformed(
                "A registration is signed by the device, which this one's Sheaf is too old for. Update Sheaf on the device."
            )
        }
        guard try registration.isSigned() else {
            throw HubRefusal.malformed("The registration is not signed with the key that it names.")
        }
    }

    func devices(of caller: HubCaller) async throws -> WebResponse {
        try await .json(DeviceListings(records.devices(for: caller)))
    }

    func revoke(_ device: DeviceName, _ caller: HubCaller) async throws -> WebResponse {
        guard try await records.revoke(device, of: caller.account) else {
            throw HubRefusal.notFound("device")
        }
        return WebResponse(status: 204)
    }

    func invite(_ caller: HubCaller) async throws -> WebResponse {
        let invitation = try Secrets.invitation()
        try await records.addInvitation(
            hash: try Secrets.invitationHash(invitation),
            to: caller.account,
            by: caller.device,
            until: clock.now() + HubLimits.invitationSeconds,
            uptime: clock.uptime()
        )
        return .json(Invitation(invitation, seconds: HubLimits.invitationSeconds), status: 201)
    }

    func beginPairing(_ caller: HubCaller) async throws -> WebResponse {
        let name = try Secrets.pairing()
        try await records.beginPairing(name, for: caller.account, now: Int(clock.uptime()))
        return .json(PairingStarted(name, seconds: HubLimits.pairingSeconds), status: 201)
    }

    func answerPairing(_ request: WebRequest, _ name: String) throws -> HTTPAnswer {
        if request.method == "POST" {
            return try receiveJSON(request, of: nil, byteCountMax: 8 << 10) { service, message in
                try await service.take(message, for: name)
            }
        }
        let after = try number("after", request, max: HubLimits.pairingMessageCountMax) ?? 0
        let seconds = try number("wait", request, max: HubLimits.waitSecondsMax) ?? 0
        return wait { try await $0.pairingMessages(of: name, after: after, waitSeconds: seconds) }
    }

    private func take(_ message: PairingMessage, for name: String) async throws -> WebResponse {
        let number = try await records.addMessage(message, toPairing: name, now: Int(clock.uptime()))
        return .json(PairingReceipt(number: number), status: 201)
    }

    private func pairingMessages(
        of name: String,
        after: Int,
        waitSeconds: Int
    ) async throws -> WebResponse {
        let ticket = room.enter(.pairing(name))
        defer { room.leave(ticket) }
        let deadline = Int(clock.uptime()) + waitSeconds
        while true {
            let now = Int(clock.uptime())
            let found = try await records.messages(ofPairing: name, after: after, now: now)
            if !found.isEmpty || waitSeconds == 0 { return .json(PairingMessages(found)) }
            switch await room.wait(ticket, until: deadline) {
            case .news: continue
            case .timeout, .revoked, .ending: return .json(PairingMessages([]))
            }
        }
    }

    /// A whole number of a query; nil where there is none.
    func number(_ name: String, _ request: WebRequest, max: Int) throws -> Int? {
        guard request.target.count(of: name) > 0 else { return nil }
        guard let number = request.target.value(name).flatMap({ Int($0) }), number >= 0 else {
            throw HubRefusal.malformed("“\(name)” is to be a whole number from 0.")
        }
        return min(number, max)
    }
}
