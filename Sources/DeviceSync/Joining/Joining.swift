internal import Cryptography
internal import Dispatch
package import FileSystem
package import Foundation
internal import HubProtocol
package import Sealing
internal import Sync

/// The person at a device that pairs.
package struct PairingPerson: Sendable {
    /// Shows the code that is to be typed on the other device.
    package var show: @Sendable (PairingCode) -> Void
    /// Shows a phrase, and asks whether the other device shows the same. Throws where nobody answers.
    package var compare: @Sendable ([String]) throws -> Bool

    package init(
        show: @escaping @Sendable (PairingCode) -> Void,
        compare: @escaping @Sendable ([String]) throws -> Bool
    ) {
        (self.show, self.compare) = (show, compare)
    }
}

/// Makes folders of this device part of containers. Every call blocks.
package struct Joining: Sendable {
    let home: DeviceHome
    let hub: URL
    let deviceName: String
    /// What apps are to call the container on this device.
    let identifier: String?

    package init(_ home: DeviceHome, at hub: URL, named deviceName: String, identifier: String? = nil) {
        (self.home, self.hub, self.deviceName, self.identifier) = (home, hub, deviceName, identifier)
    }

    /// Makes a folder the first one of a new container.
    ///
    /// - Parameters:
    ///   - folder: Made when it is not there; what is in it goes to the container.
    ///   - invitation: The hub's. Where this device was cut off after it was used up, it is good here once more.
    package func begin(_ folder: FilePath, invitation: String) throws -> ContainerSettings {
        try preparing(folder) {
            let client = try HubClient(hub, losses: .borneOnceReached)
            defer { client.close() }
            let begun = try begun(.invitation, invitation: invitation)
            return try goOn(with: begun) {
                let credentials = try register(begun, client)
                return try keep(try found(begun, client), begun.identity, folder, credentials)
            }
        }
    }

    /// Lets another device share a container that this one shares.
    ///
    /// - Throws: `PairingFailure` when it comes to nothing.
    package func invite(to joined: JoinedContainer, _ person: PairingPerson) throws {
        let client = try HubClient(hub, token: joined.settings.credentials.token)
        defer { client.close() }
        let code = try PairingCode(pairing: try client.beginPairing().pairing, random: RandomBytes.make)
        var side = try FirstPairing(code, random: RandomBytes.make)
        let relay = PairingRelay(client, code.pairing, as: .first)
        person.show(code)
        do { try pair(&side, relay, joined, person) } catch {
            tellIfPossible(try side.handle(.cancel), relay)
            throw error
        }
    }

    /// Tells the other device how it has ended here, so that it need not wait.
    ///
    /// - Parameter isPatient: Whether this one has the time to wait for a line.
    private func tellIfPossible(
        _ actions: [PairingAction],
        _ relay: PairingRelay,
        isPatient: Bool = false
    ) {
        for case .send(let message) in actions {
            // What has come of it here does not change by this; without a word the other device's time runs out.
            try? relay.send(message, isPatient: isPatient)
        }
    }

    private func pair(
        _ side: inout FirstPairing,
        _ relay: PairingRelay,
        _ joined: JoinedContainer,
        _ person: PairingPerson
    ) throws {
        let keys = home.ring(of: joined)
        // There is a line, by what the other device has said over it.
        let client = try HubClient(hub, token: joined.settings.credentials.token, losses: .borne)
        defer { client.close() }
        let container = HubContainer(joined.settings.container, at: client)
        var events: [PairingEvent] = []
        while true {
            var actions: [PairingAction] = []
            for event in events { actions += try side.handle(event) }
            events = []
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .send(let message): try send(message, relay, before: actions)
                case .show(let phrase): events += try answer(to: phrase, person, before: actions)
                case .add(let device):
                    // First: a device without one is on the list and nowhere else. One that nobody uses ends by itself.
                    let invitation = try client.invite().invitation
                    let list = try Founding.add(
                        device,
                        to: keys,
                        by: joined.identity,
                        at: container,
                        remembered: home.folder(of: joined.settings.container)
                    )
                    actions += try side.give(
                        PairingGift(keys.keys, invitation: invitation, list: list)
                    )
                case .keep: break
                case .finished: return
                case .ended(let end): throw PairingFailure(end)
                }
            }
            if events.isEmpty { events = try relay.hear() }
        }
    }

    /// Makes a folder one of a container that another device shares.
    ///
    /// - Parameters:
    ///   - folder: Made when it is not there; what is in it goes to the container, too.
    ///   - code: What the other device shows. Where this device was cut off once it had been given all, it is gone on with by the
    ///     same code, and nobody is asked.
    /// - Throws: `PairingFailure` when it comes to nothing.
    package func join(
        _ folder: FilePath,
        code: PairingCode,
        _ person: PairingPerson
    ) throws -> ContainerSettings {
        try preparing(folder) {
            let begun = try BegunJoining.left(in: home, by: means(.code, code.description))
            if let begun, let keys = begun.keys {
                let client = try HubClient(hub, losses: .borneOnceReached)
                defer { client.close() }
                return try receive(begun, keys, folder, client) {}
            }
            let identity = try DeviceIdentity(random: RandomBytes.make)
            let client = try HubClient(hub)
            defer { client.close() }
            let relay = PairingRelay(client, code.pairing, as: .second)
            var side = try SecondPairing(
                code,
                as: identity.publicIdentity(named: deviceName),
                random: RandomBytes.make
            )
            do { return try pair(&side, relay, identity, folder, person) } catch {
                tellIfPossible(try side.handle(.cancel), relay)
                throw error
            }
        }
    }

    private func pair(
        _ side: inout SecondPairing,
        _ relay: PairingRelay,
        _ identity: DeviceIdentity,
        _ folder: FilePath,
        _ person: PairingPerson
    ) throws -> ContainerSettings {
        // There is a line, by what the other device has said over it.
        let client = try HubClient(hub, losses: .borne)
        defer { client.close() }
        var actions = try side.begin()
        var events: [PairingEvent] = []
        while true {
            for event in events { actions += try side.handle(event) }
            events = []
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .send(let message): try send(message, relay, before: actions)
                case .show(let phrase): events += try answer(to: phrase, person, before: actions)
                case .keep(let gift):
                    let begun = try BegunJoining.begin(
                        in: home,
                        by: means(.code, side.code.description),
                        as: identity,
                        gift.keys,
                        invitation: gift.invitation,
                        list: gift.list
                    )
                    let settings = try receive(begun, gift.keys, folder, client) {
                        tellIfPossible(try side.handle(.cancel), relay)
                    }
                    // It is joined, whatever becomes of the receipt: without one the first device only waits in vain.
                    if let receipt = try? side.received() {
                        tellIfPossible(receipt, relay, isPatient: true)
                    }
                    return settings
                case .add, .finished: break
                case .ended(let end): throw PairingFailure(end)
                }
            }
            if events.isEmpty { events = try relay.hear() }
        }
    }

    /// Sends a message. Where the pairing ends by what comes next, that is to be said here, whether or not the other side hears of it.
    private func send(_ message: [UInt8], _ relay: PairingRelay, before rest: [PairingAction]) throws {
        let isLast = rest.contains(where: \.isEnd)
        do { try relay.send(message, isPatient: !isLast) } catch { guard isLast else { throw error } }
    }

    /// What a person says of a phrase. Where the pairing ends by what comes next nobody is asked in vain: the other side has stopped
    /// it, or an old code was typed.
    private func answer(
        to phrase: [String],
        _ person: PairingPerson,
        before rest: [PairingAction]
    ) throws -> [PairingEvent] {
        if rest.contains(where: \.isEnd) { return [] }
        return [try person.compare(phrase) ? .same : .different]
    }

    /// Has a folder be there, and one that this user can look into; where nothing comes of it what was made for it goes again.
    func preparing(_ folder: FilePath, _ join: () throws -> ContainerSettings) throws -> ContainerSettings {
        guard deviceName != RecoveryKey.deviceName else { throw DeviceHomeError.nameTaken(deviceName) }
        // The hub would refuse it, once the other device has let this one in by it.
        guard deviceName.utf8.count <= HubLimits.labelByteCountMax else {
            throw DeviceHomeError.nameTooLong(deviceName)
        }
        try home.check(folder, identifier: identifier)
        let made = try ItemMoves.createFolders(folder, permissions: 0o777)
        do {
            // One that nobody could keep in step would end all that sheaf up does.
            _ = try FolderScan.names(in: folder)
            try home.checkRoom()
            return try join()
        } catch {
            // Somebody may have put something there meanwhile: then it stays.
            for empty in made.reversed() { try? ItemMoves.removeEmptyFolder(empty) }
            throw error
        }
    }

    func keep(
        _ keys: ContainerKeys,
        _ identity: DeviceIdentity,
        _ folder: FilePath,
        _ credentials: DeviceCredentials,
        _ list: DeviceListMark? = nil
    ) throws -> ContainerSettings {
        var settings = ContainerSettings(
            container: keys.container,
            folder: folder.string,
            hub: hub,
            deviceName: deviceName,
            credentials: credentials,
            identifier: identifier,
            joinedSeconds: Date().timeIntervalSince1970
        )
        settings.list = list
        try home.keep(JoinedContainer(settings: settings, keys: keys, identity: identity))
        return settings
    }
}

extension PairingAction {
    fileprivate var isEnd: Bool { if case .ended = self { true } else { false } }
}

/// Why a pairing came to nothing.
package struct PairingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    package let end: PairingEnd

    init(_ end: PairingEnd) { self.end = end }

    package var description: String { end.description }
}
