internal import DeviceSync
internal import DocumentFoundation
internal import Foundation
internal import Locks
internal import UIKit

// The sudden ends of a make-believe device.
extension WorldDevice {
    /// Has the device crash, as when its power fails: from then on nothing is written to its disk, and nothing is sent, until
    /// `start()` starts it again, in another boot.
    ///
    /// A write is one call to the kernel that changes something on its disk, by whomever: a save of a document in `run`, or what
    /// keeps the folder in step. So these are all the moments in which a crash can come. What was written stays; a save that the
    /// crash cuts off fails with `CocoaError.fileWriteUnknown`, with `EIO` of `NSPOSIXErrorDomain` beneath, and has the former
    /// contents in place or the new ones.
    ///
    ///     for count in 0..<20 {
    ///         try pad.crash(afterWrites: count)
    ///         try? await world.edit(Note.init, "a.note", on: pad) { $0.text = "\(count)" }
    ///         try pad.start()
    ///         try await world.settle()    // Whatever was written: all have the same, and nothing is half.
    ///     }
    ///
    /// What is open on it then is gone, as with the memory of an app, also a document that you have opened yourself: it saves nothing
    /// any more, and `start()` closes it. Open it again, or another one. A presenter that is no document is yours to remove.
    ///
    /// What a document's own code writes without this library's calls, such as by `Data.write(to:)`, is not counted, and is
    /// written also afterwards.
    ///
    /// Until `start()` the crash is still to come, whatever happens to the device meanwhile: that it is offline and online again,
    /// copied by `backUp()`, or that its disk is mended. On a device that has crashed nothing changes.
    ///
    /// - Parameter count: How many writes are done before, 0 or more: with 0 it has crashed when this returns.
    /// - Throws: Where SQLite, in which a device remembers what it does, cannot be kept from writing.
    public func crash(afterWrites count: Int = 0) throws {
        precondition(count >= 0, "a device cannot crash after \(count) writes: it is 0 or more")
        try disk.crash(afterWrites: count) { [weak self] in self?.noteCrash() }
    }

    /// Whether it has crashed, and was not started since.
    public var hasCrashed: Bool { disk.hasCrashed }

    /// Whether it has crashed, or is about to.
    var isCrashDue: Bool { disk.isCrashDue }

    /// On the thread of whoever wanted to write.
    private func noteCrash() {
        bootTime.withLock { $0 = Self.fileTime }
        goDown()
        note(.stopped("the device has crashed"))
    }

    /// Has it be one that does not run, and that nobody hears.
    func goDown() {
        isToRun.withLock { $0 = false }
        line.close()
    }

    /// Makes an end of what has crashed, or was about to: the next start is in another boot.
    func endCrash() {
        guard disk.isCrashDue else { return }
        let hasCrashed = hasCrashed
        stop()
        // Programs begin anew, too: none remembers what it had not written down, nor what could not be opened.
        if hasCrashed {
            account.forgetApps()
            UIDocument.endAll(in: folder)
        }
        disk.start()
        versions.tryAgain()
        // What has happened to its folder since happened after the crash.
        if hasCrashed { boots.withLock { $0 += 1 } } else { reboot() }
    }

    /// Has its power fail: what keeps the folder in step has no time to end well, and the next start is in another boot.
    package func cutPower() throws {
        try killAbruptly()
        reboot()
    }

    /// Has the next start be in another boot.
    package func reboot() {
        bootTime.withLock { $0 = Self.fileTime }
        boots.withLock { $0 += 1 }
    }

    /// The time by the clock that files are dated by, or a little less: that clock goes by jerks.
    private static var fileTime: Int64 {
        Int64(Date().timeIntervalSince1970 * 1_000_000_000) - 20_000_000
    }

    /// Ends what keeps the folder in step, as when its process is killed.
    package func killAbruptly() throws {
        try breakDisk(.writing)
        stop()
        mendDisk()
    }
}
