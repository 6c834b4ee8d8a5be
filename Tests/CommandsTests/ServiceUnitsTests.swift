import Foundation
import Testing

@testable import Commands

@Suite("Units of systemd")
struct ServiceUnitsTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    private func units() throws -> [String: String] {
        let folder = Self.root.appendingPathComponent("Packaging/systemd")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        return Dictionary(
            uniqueKeysWithValues: try names.map {
                ($0, try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8))
            }
        )
    }

    @Test("Each begins a command that there is, from where it is installed")
    func commands() throws {
        let services = try units().filter { $0.key.hasSuffix(".service") }
        #expect(
            Set(services.keys).isSuperset(of: [
                "sheaf-agent.service", "sheaf-hub.service", "sheaf-up.service",
            ])
        )
        let manual = Tool.sheaf().manual
        for (name, unit) in services {
            let starts = unit.matches(of: /(?m)^ExecStart=(.*)$/).map { String($0.1) }
            let command = try #require(starts.count == 1 ? starts.first : nil, "\(name)")
            let prefix = "@PREFIX@/bin/sheaf "
            #expect(command.hasPrefix(prefix), "\(name)")
            #expect(manual.contains("\n## sheaf \(command.dropFirst(prefix.count))\n"), "\(name)")
        }
    }

    @Test("Those that the documentation has systemd begin are installed, and linger")
    func documentation() throws {
        let units = Set(try units().keys)
        for page in ["Docs/hub.md", "Docs/sync.md"] {
            let text = try String(contentsOf: Self.root.appendingPathComponent(page), encoding: .utf8)
            let named = text.matches(of: /systemctl --user enable --now ([a-z-]+)/).map { "\($0.1).service" }
            #expect(!named.isEmpty && units.isSuperset(of: named), "\(page): \(named)")
            #expect(text.contains("loginctl enable-linger"), "\(page)")
        }
    }
}
