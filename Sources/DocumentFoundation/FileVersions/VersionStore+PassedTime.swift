internal import FileSystem
package import Foundation

extension VersionStore {
    private static let passedTimeByteCountMax = 4096

    private var passedTimePlace: FilePath { settings.stateFolder.appending("clock") }

    /// The machine's running time, in seconds, its sleep included: clock_gettime(2) of CLOCK_BOOTTIME.
    package static let runningSeconds: @Sendable () -> TimeInterval = {
        var time = timespec()
        // It fails for a clock that the system does not have, and every Linux since 2.6.39 has it.
        precondition(clock_gettime(CLOCK_BOOTTIME, &time) == 0, "the machine has no running time")
        return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) * 1e-9
    }

    /// What time it is at least, by which versions are thinned; nil while nobody can tell. Takes a reading of the clock.
    ///
    /// Of several processes that do this at once the last one's note stays: what another's said of the clock, its own reading said.
    ///
    /// - Throws: `SystemError` where it cannot be read what is noted.
    func passedTime() throws -> Date? {
        let (clock, machine) = (now(), running())
        let former = try notedPassedTime()
        let next =
            former?.reading(clock: clock, running: machine)
            ?? PassedTime(clock: clock, running: machine, isVouched: false)
        guard former.map({ next.isWorthNoting(after: $0) }) ?? true else { return next.moment }
        do { try note(next) } catch {
            // On a full disk versions are thinned all the same, by what was noted before.
            reportOnce("What the clock says could not be noted, and versions may stay for longer: \(error)")
        }
        return next.moment
    }

    /// Believes the clock where nothing is noted: no version was there until now, which a wrong one could make too old.
    func beginPassedTime() throws {
        guard try notedPassedTime() == nil else { return }
        try note(PassedTime(clock: now(), running: running(), isVouched: true))
    }

    /// One that is damaged is as good as none.
    private func notedPassedTime() throws -> PassedTime? {
        let place = passedTimePlace
        guard let stamp = try FileStamp.ifPresent(at: place), stamp.kind == .regular,
            stamp.byteCount <= Self.passedTimeByteCountMax
        else { return nil }
        let noted = try? JSONDecoder().decode(PassedTime.self, from: try FileReading.contents(of: place))
        return noted?.version == 1 ? noted : nil
    }

    private func note(_ time: PassedTime) throws {
        try ItemMoves.createFolders(settings.stateFolder, permissions: 0o700)
        let save = try StagedSave(item: passedTimePlace, followsSymbolicLink: false)
        try save.write(try JSONEncoder().encode(time))
        try save.commit()
    }
}
