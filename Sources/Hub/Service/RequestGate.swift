internal import Foundation
internal import HTTPService
internal import HubProtocol
internal import Locks

/// Who may send how many requests.
///
/// Its state is in one struct under one lock.
final class RequestGate: Sendable {
    private struct State {
        var devices: RateLimiter<DeviceName>
        var addresses: RateLimiter<String>
        var everybody: RateLimiter<Bool>
    }

    private let state: Locked<State>
    private let clock: HubClock
    private let isBehindProxy: Bool

    init(_ settings: HubSettings, _ clock: HubClock) {
        self.clock = clock
        isBehindProxy = settings.isBehindProxy
        let (device, address) = (settings.deviceRate, settings.addressRate)
        let everybody = settings.anonymousRate
        state = Locked(
            State(
                devices: RateLimiter(burst: device.burst, perSecond: device.perSecond),
                addresses: RateLimiter(burst: address.burst, perSecond: address.perSecond),
                everybody: RateLimiter(burst: everybody.burst, perSecond: everybody.perSecond)
            )
        )
    }

    /// Lets a device's request through, or refuses it.
    func admit(_ device: DeviceName) throws {
        if let seconds = state.withLock({ $0.devices.take(device, now: clock.uptime()) }) {
            throw HubRefusal.tooMany("requests of this device", retrySeconds: seconds)
        }
    }

    /// Lets a request without a token through, or refuses it: what could be guessed is guessed slowly.
    func admitAnonymous(_ request: WebRequest) throws {
        let address = Self.network(of: address(of: request))
        let seconds = state.withLock { state in
            state.addresses.take(address, now: clock.uptime())
                ?? state.everybody.take(true, now: clock.uptime())
        }
        if let seconds { throw HubRefusal.tooMany("requests without a token", retrySeconds: seconds) }
    }

    /// Whose request it is: the proxy, if there is one, has put that behind what others may have made up.
    private func address(of request: WebRequest) -> String {
        guard isBehindProxy else { return request.peer }
        return request.listHeader("X-Forwarded-For").last ?? request.peer
    }

    /// What of an address nobody chooses by himself: of IPv6 the first 64 bits, as a host has all addresses behind them.
    ///
    /// - Returns: An address of IPv4 as it is, also one that is written as one of IPv6; what is no address too.
    private static func network(of address: String) -> String {
        var parsed = in6_addr()
        guard inet_pton(AF_INET6, address, &parsed) == 1 else { return address }
        let bytes = withUnsafeBytes(of: parsed) { Array($0) }
        let isVersion4 = bytes.starts(with: [UInt8](repeating: 0, count: 10) + [0xff, 0xff])
        if isVersion4 { return bytes.suffix(4).map { String($0) }.joined(separator: ".") }
        return Hexadecimal.text(Array(bytes.prefix(8)))
    }
}
