/// What happened in a world, if anyone wants to know.
package final class Story {
    package private(set) var lines: [String] = []
    private let isWritten: Bool

    package init(isWritten: Bool) {
        self.isWritten = isWritten
    }

    func write(_ line: @autoclosure () -> String) {
        if isWritten { lines.append(line()) }
    }
}
