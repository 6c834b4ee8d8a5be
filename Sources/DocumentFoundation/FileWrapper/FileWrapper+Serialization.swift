internal import FileSystem
internal import Foundation

extension FileWrapper {
    /// What `serializedRepresentation` gives.
    func serialized() throws -> Data {
        try serializedTree().encoded
    }

    func encodeSerialized(with coder: NSCoder) {
        do {
            coder.encode(try serialized() as NSData, forKey: Self.archiveKey)
        } catch let error as SystemError {
            coder.failWithError(CocoaError(error, while: .reading))
        } catch {
            coder.failWithError(error)
        }
    }

    /// Permissions and date are those that are set, or on disk; an item made in memory has neither.
    private func serializedTree() throws -> SerializedWrapper {
        let (preferredFilename, filename, isPlain) = TreeLock.with {
            (state.preferredFilename, state.filename, state.attributes == nil && state.record == nil)
        }
        return SerializedWrapper(
            preferredFilename: preferredFilename,
            filename: filename,
            attributes: isPlain ? MemberAttributes() : WrapperAttributes.applied(from: currentAttributes),
            contents: try serializedContents()
        )
    }

    private func serializedContents() throws -> SerializedContents {
        switch kind {
        case .directory:
            let children = try readChildren().sorted { $0.key < $1.key }
            return .directory(
                try children.map { SerializedChild(key: $0.key, wrapper: try $0.value.serializedTree()) }
            )
        case .symbolicLink:
            return .symbolicLink(try readLinkText())
        case .regular, .other:
            return .file(try readFileContents())
        }
    }

    /// Becomes what was decoded.
    ///
    /// Call under `TreeLock`.
    func take(_ tree: SerializedWrapper) {
        switch tree.contents {
        case .file(let data): state = WrapperState(.file(data))
        case .symbolicLink(let text): state = WrapperState(.symbolicLink(text))
        case .directory(let children):
            let directory = WrapperDirectory(capacity: children.count)
            state = WrapperState(.directory(directory))
            for serialized in children {
                let child = FileWrapper(state: WrapperState(.directory(nil)))
                child.take(serialized.wrapper)
                directory.adoptRead(child, under: serialized.key)
                child.state.parents.insert(self)
            }
        }
        state.preferredFilename = tree.preferredFilename
        state.filename = tree.filename
        guard tree.attributes != MemberAttributes() else { return }
        var attributes = WrapperAttributes.defaults(for: state.contents.kind)
        attributes[FileAttributeKey.posixPermissions.rawValue] = tree.attributes.permissions.map {
            NSNumber(value: $0)
        }
        attributes[FileAttributeKey.modificationDate.rawValue] = tree.attributes.modificationDate
        state.attributes = attributes
        state.attributesChange = TreeLock.nextSerial()
    }
}
