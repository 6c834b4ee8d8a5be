internal import Foundation
internal import KeyValues

extension KeyValue {
    /// A property list's value; nil for anything else, and for what lies too deep.
    init?(_ object: Any, depth: Int = 0) {
        guard depth <= Self.depthMax else { return nil }
        if let number = Self.number(object) {
            self = number
            return
        }
        switch object {
        case let text as String: self = .text(text)
        case let data as Data: self = .bytes([UInt8](data))
        case let date as Date: self = .date(RealBits(date.timeIntervalSinceReferenceDate))
        case let list as [Any]:
            var values: [KeyValue] = []
            for member in list {
                guard let value = KeyValue(member, depth: depth + 1) else { return nil }
                values.append(value)
            }
            self = .list(values)
        case let table as [String: Any]:
            var values: [String: KeyValue] = [:]
            for (key, member) in table {
                guard let value = KeyValue(member, depth: depth + 1) else { return nil }
                values[key] = value
            }
            self = .table(values)
        default: return nil
        }
    }

    /// By the type that it has, not by those that it could be taken for: 1 is not true.
    private static func number(_ object: Any) -> KeyValue? {
        switch object {
        case let flag as Bool where type(of: object) == Bool.self: .flag(flag)
        case let number as any BinaryInteger: Int64(exactly: number).map { .integer($0) }
        case let number as Double where type(of: object) == Double.self: .real(RealBits(number))
        case let number as Float where type(of: object) == Float.self: .real(RealBits(Double(number)))
        case let number as NSNumber where object is NSNumber && !(object is String):
            switch String(cString: number.objCType) {
            case "c" where number.int64Value == 0 || number.int64Value == 1: .flag(number.boolValue)
            case "Q": Int64(exactly: number.uint64Value).map { .integer($0) }
            case "d", "f": .real(RealBits(number.doubleValue))
            default: .integer(number.int64Value)
            }
        default: nil
        }
    }

    /// As apps get it: numbers as `NSNumber`, which is whatever number it is cast to.
    var object: Any {
        switch self {
        case .flag(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .real(let real): NSNumber(value: real.number)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds.number)
        case .text(let text): text
        case .bytes(let bytes): Data(bytes)
        case .list(let values): values.map(\.object)
        case .table(let values): values.mapValues(\.object)
        }
    }
}
