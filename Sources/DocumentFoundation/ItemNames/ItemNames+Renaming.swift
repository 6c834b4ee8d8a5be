extension ItemNames {
    /// The whole name that an item gets when a person types a new one for it.
    ///
    /// Spaces around what was typed are dropped. While the extension is not shown it stays as it is; typing
    /// it all the same does not double it.
    ///
    /// - Parameters:
    ///   - typed: What the person typed.
    ///   - current: The item's whole name now.
    ///   - hasExtension: False for a plain folder, in whose name dots mean nothing.
    ///   - showsExtension: Whether the person saw the extension and so typed it too.
    /// - Throws: `ItemNameError`, which says what is wrong with the name.
    package static func renamed(
        _ current: String,
        to typed: String,
        hasExtension: Bool,
        showsExtension: Bool
    ) throws(ItemNameError) -> String {
        let stem = try checked(typed)
        let fileExtension = hasExtension && !showsExtension ? split(current).fileExtension : ""
        guard !fileExtension.isEmpty, !stem.lowercased().hasSuffix("." + fileExtension.lowercased()) else {
            return stem
        }
        return try checked(stem + "." + fileExtension)
    }

    /// A name as a person typed it, less the spaces around it, when an item can bear it.
    ///
    /// - Throws: `ItemNameError`, which says what is wrong with the name.
    package static func checked(_ typed: String) throws(ItemNameError) -> String {
        let name = trimmed(typed)
        if name.isEmpty { throw ItemNameError(code: .empty, name: name) }
        if name == "." || name == ".." { throw ItemNameError(code: .reserved, name: name) }
        // On bytes: a slash and the accent after it make one character that is no slash.
        if name.utf8.contains(UInt8(ascii: "/")) { throw ItemNameError(code: .slash, name: name) }
        // On scalars: a carriage return and a line feed make one character that is neither.
        if name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw ItemNameError(code: .controlCharacter, name: name)
        }
        if isHidden(name) { throw ItemNameError(code: .leadingDot, name: name) }
        if name.utf8.count > nameByteCountMax { throw ItemNameError(code: .tooLong, name: name) }
        return name
    }

    private static func trimmed(_ text: String) -> String {
        var rest = Substring(text)
        while rest.first?.isWhitespace == true { rest.removeFirst() }
        while rest.last?.isWhitespace == true { rest.removeLast() }
        return String(rest)
    }
}
