internal import FileSystem
internal import Foundation

extension FileWrapper {
    var kind: FileStamp.Kind {
        TreeLock.with { state.contents.kind }
    }

    // MARK: - Under the lock

    /// The listed children; nil when they are not listed, or this is no directory.
    var listed: WrapperDirectory? {
        state.contents.directory
    }

    /// Traps unless this is of the kind that a member is about.
    func requireKind(_ kind: FileStamp.Kind, _ member: String) {
        guard state.contents.kind == kind else {
            preconditionFailure("\(member) was asked of a file wrapper that is a \(state.contents.kind)")
        }
    }

    /// The key that a child is under here; nil when it is not one.
    ///
    /// The child is asked first: looking through all children for each that is new would take a large directory minutes.
    private func ownKey(of child: FileWrapper) -> String? {
        child.state.parents.contains(self) ? listed?.key(for: child) : nil
    }

    /// Puts a child under a key or takes away what is there, and tells the parents.
    func replace(_ key: String, with child: FileWrapper?, in directory: WrapperDirectory) {
        let serial = TreeLock.nextSerial()
        let old = directory.children[key]
        directory.replace(key, with: child, serial: serial)
        if let old, old !== child { old.state.parents.remove(self) }
        child?.state.parents.insert(self)
        tellParents(serial: serial)
    }

    /// Makes every directory above know that something below the key of this one differs from the disk.
    func tellParents(serial: UInt64) {
        var seen: Set<ObjectIdentifier> = []
        var pending = [self]
        while let wrapper = pending.popLast() {
            for parent in wrapper.state.parents.all {
                guard let directory = parent.listed, let key = directory.key(for: wrapper) else { continue }
                directory.noteChange(of: key, serial: serial)
                if seen.insert(ObjectIdentifier(parent)).inserted { pending.append(parent) }
            }
        }
    }

    /// Whether a wrapper is this one or somewhere above it.
    private func isInside(_ wrapper: FileWrapper) -> Bool {
        var seen: Set<ObjectIdentifier> = []
        var pending = [self]
        while let next = pending.popLast() {
            if next === wrapper { return true }
            for parent in next.state.parents.all where seen.insert(ObjectIdentifier(parent)).inserted {
                pending.append(parent)
            }
        }
        return false
    }

    /// Takes the children of `init(directoryWithFileWrappers:)`.
    ///
    /// Those that prefer the name they are given under come first, so that a dictionary of children keeps
    /// its keys.
    func adopt(_ children: [String: FileWrapper]) {
        guard let directory = listed else { return }
        for (name, child) in children where child.state.preferredFilename == nil {
            child.state.preferredFilename = name
        }
        let (own, other) = children.sorted { $0.key < $1.key }.partitioned {
            $0.value.state.preferredFilename == $0.key
        }
        for (name, child) in own + other {
            precondition(!name.isEmpty, "a file wrapper was added to a directory under an empty name")
            guard ownKey(of: child) == nil else { continue }
            let key = directory.freeKey(for: child.state.preferredFilename ?? name)
            directory.adoptRead(child, under: key)
            child.state.parents.insert(self)
        }
    }

    // MARK: - Taking the lock

    func add(_ child: FileWrapper) -> String {
        listForChange()
        return TreeLock.with {
            requireKind(.directory, "addFileWrapper(_:)")
            guard let name = child.state.preferredFilename, !name.isEmpty else {
                preconditionFailure("addFileWrapper(_:) was given a child without a preferred filename")
            }
            precondition(
                !isInside(child),
                "addFileWrapper(_:) was given a wrapper that contains its new parent"
            )
            guard let directory = listed else { return name }
            if let key = ownKey(of: child) { return key }
            let key = directory.freeKey(for: name)
            replace(key, with: child, in: directory)
            return key
        }
    }

    func remove(_ child: FileWrapper) {
        TreeLock.with {
            requireKind(.directory, "removeFileWrapper(_:)")
            // Of what has not been listed nobody has a wrapper.
            guard let directory = listed, let key = ownKey(of: child) else { return }
            replace(key, with: nil, in: directory)
        }
    }

    func key(forChild child: FileWrapper) -> String? {
        TreeLock.with {
            requireKind(.directory, "keyForChildFileWrapper(_:)")
            return listed?.key(for: child)
        }
    }

    func prefer(_ name: String?) {
        guard let name, !name.isEmpty else {
            preconditionFailure("preferredFilename was set to \(name == nil ? "nil" : "an empty name")")
        }
        TreeLock.with {
            if let old = state.preferredFilename, old.utf8.elementsEqual(name.utf8) { return }
            // The keys are found by the old name, before it is gone.
            let places = state.parents.all.compactMap { parent in
                parent.listed.flatMap { directory in
                    directory.key(for: self).map { (parent: parent, directory: directory, key: $0) }
                }
            }
            state.preferredFilename = name
            for place in places {
                place.parent.replace(place.key, with: nil, in: place.directory)
                place.parent.replace(place.directory.freeKey(for: name), with: self, in: place.directory)
            }
        }
    }
}

extension Sequence {
    /// The elements for which `isFirst` holds, and the others, each in their order.
    func partitioned(by isFirst: (Element) -> Bool) -> (first: [Element], other: [Element]) {
        (filter(isFirst), filter { !isFirst($0) })
    }
}
