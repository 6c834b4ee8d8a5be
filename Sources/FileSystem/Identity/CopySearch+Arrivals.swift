internal import Glibc

/// When what may be a copy came to where it is.
extension CopySearch {
    /// How many items are looked at to find out how long a series of copies went on.
    private static let seriesMembersMax = 20_000

    /// Whether what may be an item's copy came within the bound, or in a series of copies that went on until then.
    ///
    /// - Parameters:
    ///   - isDated: Whether it has the date of the original, so that its own does not tell when it was written.
    ///   - tops: Around these folders a series is not followed.
    func cameLately(
        _ status: FileStatus,
        at place: FilePath,
        for item: Lost,
        isDated: Bool,
        below tops: Set<FilePath>
    ) -> Bool {
        let isChanged = status.change.secondsSince1970 >= earliest
        let isNamesake = place.name == item.name
        guard isChanged || isNamesake else { return false }
        if isChanged, isDated { return true }
        let span = Self.span(of: status, at: place, isDated: isDated)
        guard isDated || isNamesake else { return span.ended >= max(earliest, earliestStranger(for: item)) }
        // Who moves a folder leaves what is in it its names.
        return span.ended >= earliest
            || isNamesake && seriesEnd(of: span, at: place, on: status.stamp.device, below: tops) >= earliest
    }

    private func earliestStranger(for item: Lost) -> Double {
        (item.handle.status?.change.secondsSince1970 ?? .infinity) - strangerSecondsMax
    }

    /// From when until when an item came. Attributes and names that changed later bring no bytes.
    private static func span(of status: FileStatus, at place: FilePath, isDated: Bool) -> CopySeries.Span {
        let changed = status.change.secondsSince1970
        let began = birth(at: place) ?? changed
        return .init(began: began, ended: isDated ? changed : min(changed, max(began, written(status))))
    }

    private static func written(_ status: FileStatus) -> Double {
        let stamp = status.stamp
        return FileTime(seconds: stamp.modificationSeconds, nanoseconds: stamp.modificationNanoseconds)
            .secondsSince1970
    }

    private static func birth(at place: FilePath) -> Double? {
        // Gone, or closed to us: whoever asks has another time to go by.
        guard let file = try? SystemCalls.openPath(place), let birth = try? SystemCalls.birth(of: file)
        else { return nil }
        return FileTime(seconds: birth.seconds, nanoseconds: Int64(birth.nanoseconds)).secondsSince1970
    }

    /// Follows a series from folder to folder, up to the top: what was copied into one folder of a moved
    /// folder is followed by what was copied into the next.
    private func seriesEnd(
        of copy: CopySeries.Span,
        at place: FilePath,
        on device: UInt64,
        below tops: Set<FilePath>
    ) -> Double {
        let series = CopySeries(pauseSecondsMax: secondsMax)
        var (end, folder, room) = (copy.ended, place.parent, Self.seriesMembersMax)
        while end < earliest, room > 0 {
            // What is no more, closed to us or another volume's tells nothing.
            guard let open = try? Folder.open(folder),
                (try? SystemCalls.fstat(open.descriptor))?.stamp.device == device
            else { break }
            let spans = Self.spans(in: open, at: folder, &room)
            end = series.end(of: .init(began: copy.began, ended: end), among: spans)
            guard folder.parent != folder, !tops.contains(folder) else { break }
            folder = folder.parent
        }
        return end
    }

    private static func spans(in folder: Folder, at path: FilePath, _ room: inout Int) -> [CopySeries.Span] {
        var (spans, left) = ([CopySeries.Span](), room)
        defer { room = left }
        // What could be read of it is what counts.
        try? SystemCalls.forEachMember(of: folder) { (name, _, _) throws(SystemError) in
            left -= 1
            // Gone since it was listed.
            if let status = try? SystemCalls.fstatat(folder, name) {
                spans.append(span(of: status, at: path.appending(name), isDated: true))
            }
            return left > 0
        }
        return spans
    }
}
