internal import Foundation
internal import UniformTypeIdentifiers

/// What the app's Info.plist says about scenes.
@MainActor
enum SceneManifest {
    /// The class of a scene's delegate: of the configuration with that name, or of the first for the role.
    static func delegateClass(named name: String?, role: UISceneSession.Role) -> AnyClass? {
        guard let found = configurations(for: role).first(where: { name == nil || $0.name == name }) else {
            return nil
        }
        return found.delegateClassName.flatMap(resolve)
    }

    /// Whether the app has scenes.
    static var isDeclared: Bool { !configurations(for: .windowApplication).isEmpty }

    private struct Configuration {
        var name: String?
        var delegateClassName: String?
    }

    private static func configurations(for role: UISceneSession.Role) -> [Configuration] {
        let manifest = AppInfo.main.infoDictionary["UIApplicationSceneManifest"] as? [String: Any]
        let roles = manifest?["UISceneConfigurations"] as? [String: Any]
        let entries = roles?[role.rawValue] as? [[String: Any]] ?? []
        return entries.map {
            Configuration(
                name: $0["UISceneConfigurationName"] as? String,
                delegateClassName: $0["UISceneDelegateClassName"] as? String
            )
        }
    }

    /// `$(PRODUCT_MODULE_NAME)` stands for the executable's module, as Xcode's build settings have it.
    private static func resolve(_ className: String) -> AnyClass? {
        let module = ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
        return NSClassFromString(className.replacingOccurrences(of: "$(PRODUCT_MODULE_NAME)", with: module))
    }
}
