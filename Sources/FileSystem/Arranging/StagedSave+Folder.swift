extension StagedSave {
    /// What the folder is in which all of this save happens, wherever that is by now.
    package func folderStatus() throws(SystemError) -> MemberStatus {
        MemberStatus(try SystemCalls.fstat(site.folder.descriptor))
    }
}
