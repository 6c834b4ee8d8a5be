internal import FileSystem
internal import Foundation

/// The resource values that a bookmark keeps.
enum BookmarkValues {
    /// Reads values of an item; those that a property list cannot hold, and those the system does not know,
    /// are left out.
    static func encode(_ keys: Set<URLResourceKey>, of url: URL) throws -> Data {
        guard !keys.isEmpty else { return Data() }
        var values: [String: Any] = [:]
        for (key, value) in try url.resourceValues(forKeys: keys).allValues
        where PropertyListSerialization.propertyList(value, isValidFor: .binary) {
            values[key.rawValue] = value
        }
        return try PropertyListSerialization.data(fromPropertyList: values, format: .binary, options: 0)
    }

    /// The values of a record, with those that every record tells by itself.
    static func decode(_ item: BookmarkedItem) throws -> [URLResourceKey: Any] {
        let kind = item.taken.identity.kind
        var values: [URLResourceKey: Any] = [
            .nameKey: item.path.name, .pathKey: item.path.string,
            .isDirectoryKey: kind == .directory, .isRegularFileKey: kind == .regular,
            .isSymbolicLinkKey: kind == .symbolicLink,
        ]
        guard !item.values.isEmpty else { return values }
        let list = try PropertyListSerialization.propertyList(from: item.values, format: nil)
        for (key, value) in list as? [String: Any] ?? [:] { values[URLResourceKey(rawValue: key)] = value }
        return values
    }
}
