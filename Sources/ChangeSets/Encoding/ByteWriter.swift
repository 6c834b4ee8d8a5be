/// Puts the fields of the format behind each other.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func reserve(_ byteCount: Int) {
        bytes.reserveCapacity(byteCount)
    }

    mutating func byte(_ byte: UInt8) {
        bytes.append(byte)
    }

    /// Groups of seven bits, the lowest first.
    @inline(__always)
    mutating func number(_ number: UInt64) {
        // Most have one byte.
        if number < 0x80 { bytes.append(UInt8(truncatingIfNeeded: number)) } else { longNumber(number) }
    }

    private mutating func longNumber(_ number: UInt64) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func number(_ count: Int) {
        number(UInt64(count))
    }

    mutating func signed(_ value: Int64) {
        number(UInt64(bitPattern: value << 1 ^ value >> 63))
    }

    /// Eight bytes, the lowest first.
    mutating func fixed(_ bits: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: bits >> shift))
        }
    }

    mutating func device(_ device: DeviceID) {
        fixed(device.high.byteSwapped)
        fixed(device.low.byteSwapped)
    }

    mutating func raw(_ more: some Collection<UInt8>) {
        bytes.append(contentsOf: more)
    }

    mutating func blob(_ blob: some Collection<UInt8>) {
        number(blob.count)
        bytes.append(contentsOf: blob)
    }

    mutating func text(_ text: String) {
        var text = text
        text.withUTF8 { blob($0) }
    }

    mutating func value(_ value: ChangeValue) {
        switch value {
        case .none: byte(0)
        case .flag(let flag): byte(flag ? 2 : 1)
        case .integer(let number):
            byte(3)
            signed(number)
        case .real(let real):
            byte(4)
            fixed(real.number.bitPattern)
        case .text(let text):
            byte(5)
            self.text(text)
        case .bytes(let bytes):
            byte(6)
            blob(bytes)
        case .list(let values):
            byte(7)
            number(values.count)
            for value in values { self.value(value) }
        }
    }
}
