package import Foundation

extension NSUserActivity {
    /// What is wrong with a typed payload.
    public enum TypedPayloadError: Error {
        /// What `userInfo` holds is not of the type.
        case invalidContent
        /// The value cannot be put into `userInfo`.
        case encodingError
    }

    /// Puts a value into `userInfo`, by its coding keys.
    ///
    /// - Throws: `TypedPayloadError.encodingError` unless the value becomes a dictionary.
    public func setTypedPayload<T: Decodable & Encodable>(_ payload: T) throws {
        guard let data = try? PropertyListEncoder().encode(payload),
            let list = try? PropertyListSerialization.propertyList(from: data, format: nil),
            let entries = list as? [String: Any]
        else { throw TypedPayloadError.encodingError }  // the one error that Apple names, whatever the cause
        addUserInfoEntries(from: entries)
    }

    /// The value that `setTypedPayload(_:)` put into `userInfo`.
    ///
    /// - Throws: `TypedPayloadError.invalidContent` when there is none of the type.
    public func typedPayload<T: Decodable & Encodable>(_ type: T.Type) throws -> T {
        guard let entries = userInfo as? [String: Any],
            let data = try? PropertyListSerialization.data(
                fromPropertyList: entries,
                format: .binary,
                options: 0
            ),
            let payload = try? PropertyListDecoder().decode(type, from: data)
        else { throw TypedPayloadError.invalidContent }  // the one error that Apple names, whatever the cause
        return payload
    }

    /// Why an activity cannot be kept.
    package struct ArchiveError: Error, Hashable, CustomStringConvertible {
        package var description: String
    }

    /// The activity as a binary property list; see Docs/formats/restoration.md.
    ///
    /// - Throws: `ArchiveError` when `userInfo` holds what no property list can.
    package func archived() throws -> Data {
        var list: [String: Any] = ["activityType": activityType]
        list["title"] = title
        list["webpageURL"] = webpageURL?.absoluteString
        list["referrerURL"] = referrerURL?.absoluteString
        list["targetContentIdentifier"] = targetContentIdentifier
        list["persistentIdentifier"] = persistentIdentifier
        list["expirationDate"] = expirationDate
        if !keywords.isEmpty { list["keywords"] = keywords.sorted() }
        if let required = requiredUserInfoKeys { list["requiredUserInfoKeys"] = required.sorted() }
        if let userInfo { list["userInfo"] = try ActivityValues.encode(kept(userInfo)) }
        return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    }

    private func kept(_ userInfo: [AnyHashable: Any]) -> [AnyHashable: Any] {
        guard let required = requiredUserInfoKeys, !required.isEmpty else { return userInfo }
        return userInfo.filter { ($0.key as? String).map(required.contains) ?? false }
    }

    /// The activity in an archive; nil when it is none.
    package static func unarchived(_ data: Data) -> NSUserActivity? {
        // Data that is no property list holds no activity.
        let found = try? PropertyListSerialization.propertyList(from: data, format: nil)
        guard let list = found as? [String: Any], let type = list["activityType"] as? String else {
            return nil
        }
        let activity = NSUserActivity(activityType: type)
        activity.title = list["title"] as? String
        activity.webpageURL = (list["webpageURL"] as? String).flatMap(URL.init(string:))
        activity.referrerURL = (list["referrerURL"] as? String).flatMap(URL.init(string:))
        activity.targetContentIdentifier = list["targetContentIdentifier"] as? String
        activity.persistentIdentifier = list["persistentIdentifier"] as? String
        activity.expirationDate = list["expirationDate"] as? Date
        activity.keywords = Set(list["keywords"] as? [String] ?? [])
        activity.requiredUserInfoKeys = (list["requiredUserInfoKeys"] as? [String]).map(Set.init)
        activity.userInfo = (list["userInfo"]).map(ActivityValues.decode) as? [AnyHashable: Any]
        return activity
    }
}

/// Values of `userInfo` as property list values: what a property list has no form for goes into a dictionary
/// with one key that says what it is.
private enum ActivityValues {
    private static let urlKey = "$url"
    private static let uuidKey = "$uuid"
    private static let setKey = "$set"

    static func encode(_ value: Any) throws -> Any {
        switch value {
        case let url as URL: return [urlKey: url.absoluteString]
        case let uuid as UUID: return [uuidKey: uuid.uuidString]
        case let values as [Any]: return try values.map(encode)
        case let values as Set<AnyHashable>: return [setKey: try values.map { try encode($0.base) }]
        case let values as [AnyHashable: Any]: return try dictionary(values)
        default:
            guard PropertyListSerialization.propertyList(value, isValidFor: .binary) else {
                throw NSUserActivity.ArchiveError(
                    description: "An activity cannot keep a \(type(of: value)). Put property list values, "
                        + "URLs or UUIDs into its userInfo."
                )
            }
            return value
        }
    }

    private static func dictionary(_ values: [AnyHashable: Any]) throws -> [String: Any] {
        var list: [String: Any] = [:]
        for (key, value) in values {
            guard let key = key as? String, !key.hasPrefix("$") else {
                throw NSUserActivity.ArchiveError(
                    description: "An activity cannot keep the key “\(key)”. Use texts that begin with no $."
                )
            }
            list[key] = try encode(value)
        }
        return list
    }

    static func decode(_ value: Any) -> Any {
        if let values = value as? [Any] { return values.map(decode) }
        guard let values = value as? [String: Any] else { return value }
        if let text = values[urlKey] as? String, let url = URL(string: text) { return url }
        if let text = values[uuidKey] as? String, let uuid = UUID(uuidString: text) { return uuid }
        if let members = values[setKey] as? [Any] {
            return Set(members.map(decode).compactMap { $0 as? AnyHashable })
        }
        return Dictionary(uniqueKeysWithValues: values.map { (AnyHashable($0.key), decode($0.value)) })
    }
}
