internal import HTTPService

/// Reads the kernel's lists of all TCP connections.
///
/// Pure.
enum ConnectionTable {
    /// Where they are: of sockets of IPv4, and of those of IPv6, some of which talk to IPv4.
    static let paths = ["/proc/net/tcp", "/proc/net/tcp6"]

    /// The end that is at a place, of the connection to another.
    static func find(at place: IPv4Endpoint, to other: IPv4Endpoint, in table: [UInt8]) -> ConnectionEnd? {
        let (here, there) = (names(of: place), names(of: other))
        for line in table.split(separator: UInt8(ascii: "\n")).dropFirst() {
            let fields = line.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
            guard fields.count > Field.inode, here.contains(fields[Field.place]),
                there.contains(fields[Field.other]),
                let state = UInt8(fields[Field.state], radix: 16), let user = UInt32(fields[Field.user]),
                let inode = UInt64(fields[Field.inode])
            else { continue }
            return ConnectionEnd(user: user, inode: inode, state: state)
        }
        return nil
    }

    private enum Field {
        static let (place, other, state, user, inode) = (1, 2, 3, 7, 9)
    }

    /// How the lists name an end: with its address in numbers of 32 bits as they are in memory, and its port.
    ///
    /// A socket of IPv6 has ::ffff:0:0/96 before an address of IPv4.
    private static func names(of place: IPv4Endpoint) -> [String] {
        let address = digits(place.address, count: 8)
        let mapped = digits(UInt32(0), count: 16) + digits(UInt32(0xFFFF).bigEndian, count: 8) + address
        return [address, mapped].map { $0 + ":" + digits(place.port, count: 4) }
    }

    private static func digits(_ number: some FixedWidthInteger, count: Int) -> String {
        let text = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
