import Foundation
import Testing
import UniformTypeIdentifiers

@testable import UIKit

@MainActor
final class ManifestDelegate: UIResponder, UIWindowSceneDelegate {
    var window: UIWindow?
}

@Suite("SceneManifest")
@MainActor
struct SceneManifestTests {
    /// Puts a manifest in the place of the program's. For a process of its own: types are read anew.
    private static func setManifest() throws {
        let json = """
            {"CFBundleIdentifier": "test.manifest",
             "UIApplicationSceneManifest": {"UISceneConfigurations": {"UIWindowSceneSessionRoleApplication": [
               {"UISceneConfigurationName": "Main", "UISceneDelegateClassName": "UIKitTests.ManifestDelegate"},
               {"UISceneConfigurationName": "Other", "UISceneDelegateClassName": "UIKitTests.Missing"},
               {"UISceneConfigurationName": "Own",
                "UISceneDelegateClassName": "$(PRODUCT_MODULE_NAME).ManifestDelegate"},
               {"UISceneConfigurationName": "Bare"}]}}}
            """
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        try Data(json.utf8).write(to: url)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: url) } }
        AppInfo.setMain(try AppDeclarations.load(url, executableName: "test"))
    }

    @Test("A configuration has the class that the Info.plist names for it; one without a name has the first")
    func named() async {
        await #expect(processExitsWith: .success) { @MainActor in
            try Self.setManifest()
            #expect(Self.type("Main") == ManifestDelegate.self)
            #expect(Self.type(nil) == ManifestDelegate.self)
            #expect(Self.type("Other") == nil)
            #expect(Self.type("Own") == nil)
            #expect(Self.type("Bare") == nil)
            #expect(Self.type("Unknown") == nil)
            #expect(Self.type(nil, "Another") == nil)
        }
    }

    private static func type(_ name: String?, _ role: String? = nil) -> AnyClass? {
        let role = role.map(UISceneSession.Role.init) ?? .windowApplication
        return UISceneConfiguration(name: name, sessionRole: role).delegateClass
    }

    @Test("A configuration keeps its name and role; its class can be set")
    func configuration() {
        let configuration = UISceneConfiguration(name: "Main", sessionRole: .windowApplication)
        #expect(configuration.name == "Main")
        #expect(configuration.role == .windowApplication)
        configuration.delegateClass = ManifestDelegate.self
        #expect(configuration.delegateClass == ManifestDelegate.self)
    }
}
