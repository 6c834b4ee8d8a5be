/// Types for tags that nobody declares.
extension TypeCatalogue {
    /// The types with a tag, preferred one first: the declared ones, or else a dynamic one.
    ///
    /// - Parameters:
    ///   - tag: An extension without its dot, a MIME type, or a tag of another class.
    ///   - supertype: What the types must conform to; nil for anything.
    ///   - mimeTypes: What is known beyond declarations. A dynamic type then carries extension and MIME type,
    ///     and conforms to what its MIME type suggests unless `supertype` contradicts that.
    /// - Returns: Nothing if the tag cannot be one: it is empty or holds a slash (in an extension) or a
    ///   control character.
    func identifiers(
        tag: String,
        tagClass: UTTagClass,
        conformingTo supertype: String?,
        mimeTypes: SharedMIMEDatabase
    ) -> [String] {
        guard Self.isTag(tag, of: tagClass) else { return [] }
        let declared = identifiers(tag: tag, tagClass: tagClass, conformingTo: supertype)
        guard declared.isEmpty else { return declared }
        return [dynamicIdentifier(tag: tag, tagClass: tagClass, supertype: supertype, mimeTypes: mimeTypes)]
    }

    private static func isTag(_ tag: String, of tagClass: UTTagClass) -> Bool {
        !tag.isEmpty && !tag.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
            && !(tagClass == .filenameExtension && tag.contains("/"))
    }

    private func dynamicIdentifier(
        tag: String,
        tagClass: UTTagClass,
        supertype: String?,
        mimeTypes: SharedMIMEDatabase
    ) -> String {
        let lowered = tagClass == .filenameExtension || tagClass == .mimeType ? tag.lowercased() : tag
        var declaration = TypeDeclaration(identifier: "", origin: .dynamic)
        declaration.setTags([lowered], class: tagClass)
        declaration.supertypes = supertype.map { [self.declaration(of: $0)?.identifier ?? $0] } ?? []
        var mimeType: String?
        if tagClass == .filenameExtension {
            mimeType = mimeTypes.mimeType(forExtension: lowered)
            if let mimeType { declaration.setTags([mimeType], class: .mimeType) }
        } else if tagClass == .mimeType {
            if let preferred = mimeTypes.extensions(forMIMEType: lowered).first {
                declaration.setTags([preferred], class: .filenameExtension)
            }
            mimeType = lowered
        }
        if let mimeType {
            let suggested = supertypes(forMIMEType: mimeType, mimeTypes: mimeTypes)
            let agrees = supertype.map { wanted in suggested.contains { conforms($0, to: wanted) } } ?? true
            if agrees { declaration.supertypes = suggested }
        }
        return DynamicIdentifier.identifier(for: declaration)
    }

    /// What a type conforms to by its MIME type: the declared type of that MIME type, or of one it is a kind
    /// of, or what the part before the slash says.
    private func supertypes(forMIMEType mimeType: String, mimeTypes: SharedMIMEDatabase) -> [String] {
        for candidate in [mimeType] + mimeTypes.ancestors(ofMIMEType: mimeType) {
            if let declared = identifiers(tag: candidate, tagClass: .mimeType, conformingTo: "public.data")
                .first
            {
                return [declared]
            }
        }
        switch mimeType.prefix(while: { $0 != "/" }) {
        case "text": return ["public.text"]
        case "image": return ["public.image"]
        case "audio": return ["public.audio"]
        case "video": return ["public.movie"]
        case "font": return ["public.font"]
        case "model": return ["public.3d-content", "public.data"]
        case "message": return ["public.message", "public.data"]
        default: return ["public.data"]
        }
    }
}
