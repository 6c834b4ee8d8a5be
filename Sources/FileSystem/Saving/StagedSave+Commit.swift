internal import Foundation

extension StagedSave {
    /// Puts what is staged in place, durably.
    ///
    /// The item keeps the permissions, owner (where the process may give it), access lists and extended
    /// attributes it had. Where it cannot have the group it had, its new one may do no more than everybody may.
    /// A lone file is renamed into place, and one file of a package into the folder that it is in. Of a package
    /// with more recorded changes, one new or replaced member is renamed into it and one removed member out of
    /// it, at a cost that does not depend on the others; more changes rebuild the smallest folder that holds
    /// them, of links to what stays, and exchange it with the old one; what others have done there meanwhile is carried
    /// over to the new one. A whole package is exchanged, and so is a file where `didReplace` is to be told.
    ///
    /// - Parameters:
    ///   - attributes: What the item gets beside its contents; goes before what it had.
    ///   - leavesStaging: Whether the staging stays for `takeRemains` also when no old version is in it.
    /// - Returns: The item's stamp afterwards; as it was put in place, where somebody has taken it away since.
    /// - Throws: The call refused and the item it was about; `EEXIST` when the item must not exist. Old
    ///   contents are in place and the staging is gone, unless the error says `isNewInPlace`.
    @discardableResult
    package func commit(
        _ attributes: MemberAttributes = MemberAttributes(),
        leavesStaging: Bool = false
    ) throws(SystemError) -> FileStamp {
        do {
            switch stage {
            case .file(let staged): return try commitFile(staged, attributes.filled(from: fileAttributes))
            case .member(let member):
                if !makesFolderAnew, let stamp = try commitMember(member, attributes) { return stamp }
                _ = try stagingFolder()
                return try commit(attributes, leavesStaging: leavesStaging)
            case .folder(let staging):
                if overlay.isPartial {
                    try commitChanges(staging, attributes)
                } else {
                    try commitWhole(staging, attributes)
                }
                finish(staging, leavesIt: leavesStaging)
                return try stampInPlace()
            case .empty, .committed, .abandoned:
                preconditionFailure("committed a save of \(item) that has nothing staged")
            }
        } catch {
            var failure = error
            failure.isNewInPlace = failure.isNewInPlace || isInPlace
            endAfterFailure(isNewInPlace: failure.isNewInPlace)
            throw failure
        }
    }

    private func stampInPlace() throws(SystemError) -> FileStamp {
        if let stagedStamp, try SystemCalls.statusIfPresent(site.folder, site.itemName) == nil {
            return stagedStamp
        }
        return try SystemCalls.fstatat(site.folder, site.itemName).stamp
    }

    private func finish(_ staging: StagingFolder, leavesIt: Bool) {
        do { try lateChanges?.carryOver() } catch {
            // The save is done. What others wrote is in the staging, where the next opening or saving of the item finds it.
            stage = .committed(nil)
            return
        }
        let remains = hasOldVersion || leavesIt
        stage = .committed(remains ? SaveRemains(staging) : nil)
        // What stays is removed by the next opening or saving of the item.
        if !remains { try? staging.remove() }
    }

    private func endAfterFailure(isNewInPlace: Bool) {
        guard isNewInPlace else { return abandon() }
        defer { stage = .committed(nil) }
        guard case .folder(let staging) = stage else { return }
        do {
            guard !holdsOthers else { return }
            // As long as the disk may fall back to the old version, that one must not be taken apart.
            try SystemCalls.syncfs(staging.folder)
            if let lateChanges {
                // Where a swap in several steps failed, recovery tells what is where.
                guard isInPlace else { return }
                try lateChanges.carryOver()
            }
            try staging.remove()
        } catch {
            // The failure at hand is the one to tell; recovery removes what stays.
        }
    }

    private func commitFile(
        _ staged: StagedFile,
        _ attributes: MemberAttributes
    ) throws(SystemError) -> FileStamp {
        let (folder, name) = (site.folder, site.itemName)
        let replaced = mustNotExist ? nil : try replaceable()
        try CarriedAttributes.dress(staged.descriptor, as: replaced, with: attributes)
        try SystemCalls.fsync(staged.descriptor)
        let stamp = try SystemCalls.fstat(staged.descriptor).stamp
        (placedStamps[.top], stagedStamp) = (stamp, stamp)
        try beforeSwap?()
        if mustNotExist {
            try rename(site.stagingName, toFree: name, in: folder)
        } else {
            _ = try put(name, in: folder, as: .top)
        }
        isInPlace = true
        try SystemCalls.fsync(folder.descriptor)
        stage = .committed(nil)
        return stamp
    }

    private func rename(_ source: String, toFree target: String, in folder: Folder) throws(SystemError) {
        do { return try SystemCalls.renameat2(folder, source, folder, target, .mustNotExist) } catch {
            guard ItemSwap.unexchangeable.contains(error.errno) else { throw error }
        }
        // A link fails on a name that is taken, just as well.
        do { try SystemCalls.linkat(folder, source, folder, target) } catch {
            guard FileCopying.unlinkable.contains(error.errno) else { throw error }
            return try FreeName.lookAndMove(source, from: folder, to: folder, as: target)
        }
        // The item is there. A second name that stays is removed by the next opening or saving of it.
        try? SystemCalls.unlinkat(folder, source)
    }

    /// What the item is and bears now; nil for nothing.
    ///
    /// - Throws: `EOPNOTSUPP` for a device, pipe or socket: those are not documents to be replaced.
    private func replaceable() throws(SystemError) -> CarriedAttributes? {
        let found = try CarriedAttributes(of: site.itemName, in: site.folder)
        guard found?.status.stamp.kind != .other else {
            throw SystemError(call: "renameat2", errno: EOPNOTSUPP, path: item)
        }
        return found
    }

    private func commitWhole(
        _ staging: StagingFolder,
        _ attributes: MemberAttributes
    ) throws(SystemError) {
        let name = staging.stagedName
        let kind = try SystemCalls.fstatat(staging.folder, name).stamp.kind
        let replaced = mustNotExist ? nil : try replaceable()
        if kind == .regular || kind == .directory {
            // The tree writer has seen to what the item had; what the caller wrote has nothing of it yet.
            let carried = isDressed ? nil : carriesUserAttributes ? replaced : replaced?.withoutUserAttributes
            let staged = try SystemCalls.openat(staging.folder, name, O_RDONLY | O_NOFOLLOW)
            try CarriedAttributes.dress(staged, as: carried, with: attributes)
        }
        try TreeSync.sync(name, in: staging.folder, kind: kind)
        stagedStamp = try SystemCalls.fstatat(staging.folder, name).stamp
        if kind == .regular { placedStamps[.top] = stagedStamp }
        let swap = ItemSwap(
            staging: staging,
            sourceFolder: staging.folder,
            source: name,
            targetFolder: site.folder,
            target: site.itemName,
            targetPath: .top
        )
        try swapIn(swap, replacing: replaced?.status.stamp.kind, isFolder: kind == .directory)
    }

    func swapIn(
        _ swap: ItemSwap,
        replacing replaced: FileStamp.Kind?,
        isFolder: Bool
    ) throws(SystemError) {
        let isOfItem = swap.targetPath == .top
        lateChanges?.noteLeaving()
        try beforeSwap?()
        let new = isFolder ? try ReadOnlyFolder(swap.source, in: swap.sourceFolder) : nil
        let old =
            replacesReadOnly && replaced == .directory
            ? try ReadOnlyFolder(swap.target, in: swap.targetFolder) : nil
        try new?.unlock()
        try old?.unlock()
        do { try exchange(swap, replacing: replaced, isFolder: isFolder, isOfItem: isOfItem) } catch {
            // The first error is what the caller must know. What is staged goes.
            try? old?.lock()
            throw error
        }
        isInPlace = true
        try new?.lock()
        try swap.sync(hasOldVersion: hasOldVersion)
    }

    private func exchange(
        _ swap: ItemSwap,
        replacing replaced: FileStamp.Kind?,
        isFolder: Bool,
        isOfItem: Bool
    ) throws(SystemError) {
        let isExpected =
            isOfItem
            ? isReplaceable
            : isMemberReplaceable.map { isExpected in { status, _ in isExpected(swap.targetPath, status) } }
        if replaced != nil, let isExpected, try swap.perform(if: isExpected, &holdsOthers) {
            hasOldVersion = true
        } else if let didReplace, !isFolder, replaced != .directory, !(isOfItem && mustNotExist) {
            hasOldVersion = try swap.fileSwap.perform()
            if hasOldVersion { didReplace(swap.targetPath, swap.sourceFolder.place(of: swap.source)) }
        } else {
            let mustNotExist = isOfItem ? mustNotExist : isMemberReplaceable != nil && replaced == nil
            try swap.perform(replacing: replaced, isFolder: isFolder, mustNotExist: mustNotExist)
            hasOldVersion = replaced != nil && (replaced == .directory || isFolder)
        }
    }
}

extension MemberAttributes {
    /// These, and where they are nil, the others.
    fileprivate func filled(from other: MemberAttributes) -> MemberAttributes {
        MemberAttributes(
            permissions: permissions ?? other.permissions,
            modificationDate: time == nil ? other.modificationDate : modificationDate,
            modified: time == nil ? other.modified : modified
        )
    }
}
