internal import Foundation

/// What the process tells a tab. See Docs/formats/page.md.
enum OutgoingMessage {
    case hello(revision: Int, app: AppDescription, scene: SceneDescription)
    case change(revision: Int, sections: SceneSections)
    case items(revision: Int, folder: String, put: [SceneDescription.Item], drop: [String])
    case reply(Int, Any?)
    case refusal(Int, title: String, message: String)
    case reveal(String)
    case notice(String, SceneDescription.Act?)
    case web(String, [String: Any])

    struct AppDescription: Encodable {
        var name: String
        var tint: String
    }

    /// The sections of a scene that differ.
    struct SceneSections: Encodable {
        var browser: SceneDescription.Browser??
        var items: [SceneDescription.Item]?
        var stack: [SceneDescription.Layer]?
        var webs: [SceneDescription.Web]?
        var spare: String??

        var isEmpty: Bool {
            browser == nil && items == nil && stack == nil && webs == nil && spare == nil
        }

        private enum Key: String, CodingKey { case browser, items, stack, webs, spare }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            if let browser { try container.encode(browser, forKey: .browser) }
            try container.encodeIfPresent(items, forKey: .items)
            try container.encodeIfPresent(stack, forKey: .stack)
            try container.encodeIfPresent(webs, forKey: .webs)
            if let spare { try container.encode(spare, forKey: .spare) }
        }
    }

    private struct Hello: Encodable {
        var type = "hello"
        var rev: Int
        var app: AppDescription
        var scene: SceneDescription
    }

    private struct Change: Encodable {
        var type = "change"
        var rev: Int
        var scene: SceneSections
    }

    private struct Items: Encodable {
        var type = "items"
        var rev: Int
        var folder: String
        var put: [SceneDescription.Item]
        var drop: [String]
    }

    private struct Notice: Encodable {
        var type = "notice"
        var text: String
        var act: SceneDescription.Act?
    }

    /// The message as the page reads it.
    func text() throws -> String {
        switch self {
        case .hello(let revision, let app, let scene):
            try Self.encoded(Hello(rev: revision, app: app, scene: scene))
        case .change(let revision, let sections):
            try Self.encoded(Change(rev: revision, scene: sections))
        case .items(let revision, let folder, let put, let drop):
            try Self.encoded(Items(rev: revision, folder: folder, put: put, drop: drop))
        case .notice(let text, let act):
            try Self.encoded(Notice(text: text, act: act))
        case .reply(let id, let value):
            try JSONValues.text(["type": "reply", "id": id, "value": value ?? NSNull()])
        case .refusal(let id, let title, let message):
            try JSONValues.text(["type": "reply", "id": id, "error": ["title": title, "message": message]])
        case .reveal(let item):
            try JSONValues.text(["type": "reveal", "item": item])
        case .web(let frame, let members):
            try JSONValues.text(members.merging(["type": "web", "web": frame]) { _, own in own })
        }
    }

    private static func encoded(_ message: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(message), as: UTF8.self)
    }
}
