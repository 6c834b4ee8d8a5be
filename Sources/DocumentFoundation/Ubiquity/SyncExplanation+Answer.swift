internal import Foundation
package import SyncMessages

// What the process says that keeps folders in step, as apps get it.
extension SyncExplanation {
    package init(_ found: Explanation) {
        self.init(
            path: found.path,
            isSettled: found.isSettled,
            change: Change(rawValue: found.change),
            causes: found.chain.map(Cause.init),
            next: found.next,
            notes: found.notes,
            hubDeed: found.hubDeed.map(HubDeed.init),
            upload: found.upload.map(Transfer.init),
            download: found.download.map(Transfer.init),
            devices: found.devices.map(Device.init),
            whereabouts: found.whereabouts
        )
    }
}

extension SyncExplanation.Cause {
    fileprivate init(_ cause: Explanation.Cause) {
        self.init(
            kind: Kind(rawValue: cause.kind.rawValue),
            text: cause.text,
            since: cause.sinceSeconds.map(Date.init(timeIntervalSince1970:)),
            remedy: cause.remedy
        )
    }
}

extension SyncExplanation.HubDeed {
    fileprivate init(_ deed: SyncMessages.HubDeed) {
        self.init(
            kind: deed.kind.rawValue,
            entry: deed.entry,
            path: deed.path,
            since: Date(timeIntervalSince1970: deed.sinceSeconds),
            putRight: deed.putRightSeconds.map(Date.init(timeIntervalSince1970:)),
            text: deed.text,
            next: deed.next
        )
    }
}

extension SyncExplanation.Transfer {
    fileprivate init(_ share: ItemSyncState.Share) {
        self.init(
            doneByteCount: share.doneByteCount,
            totalByteCount: share.totalByteCount,
            doneObjectCount: share.objects?.done,
            totalObjectCount: share.objects?.total
        )
    }
}

extension SyncExplanation.Device {
    fileprivate init(_ device: DeviceStanding) {
        self.init(
            name: device.name,
            isThis: device.isThis,
            standing: Standing(rawValue: device.standing.rawValue),
            asked: device.askedSeconds.map(Date.init(timeIntervalSince1970:))
        )
    }
}
