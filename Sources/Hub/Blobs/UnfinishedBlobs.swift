/// Blobs that have come in part, and what they come to for each account. Pure.
///
/// Each counts with all that it is to have and its row, from its first piece on: whoever was let in with one may send the rest of
/// it, and what nobody ever ends takes no more room than the quota.
struct UnfinishedBlobs {
    /// How many an account has at a time: each is a file, however little is in it.
    static let countMax = 64

    private struct Sum {
        var count = 0
        var byteCount = 0
    }

    private var uploads: [[UInt8]: SegmentedBlobStore.Upload] = [:]
    private var sums: [AccountID: Sum] = [:]

    subscript(key: [UInt8]) -> SegmentedBlobStore.Upload? {
        get { uploads[key] }
        set {
            if let former = uploads[key] { add(former, times: -1) }
            if let newValue { add(newValue, times: 1) }
            uploads[key] = newValue
        }
    }

    /// How many bytes an account's will have when they are whole.
    func byteCount(of account: AccountID) -> Int { sums[account]?.byteCount ?? 0 }

    func count(of account: AccountID) -> Int { sums[account]?.count ?? 0 }

    /// Takes those out that nobody is at and that nobody has gone on with since a time.
    mutating func takeAll(touchedBefore: Int) -> [[UInt8]: SegmentedBlobStore.Upload] {
        let old = uploads.filter { !$0.value.isBusy && $0.value.touched < touchedBefore }
        for key in old.keys { self[key] = nil }
        return old
    }

    private mutating func add(_ upload: SegmentedBlobStore.Upload, times count: Int) {
        var sum = sums[upload.account] ?? Sum()
        sum.count += count
        sum.byteCount += count * upload.countedByteCount
        sums[upload.account] = sum.count == 0 ? nil : sum
    }
}
