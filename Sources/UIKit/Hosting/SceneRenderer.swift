/// Describes what a scene's window shows.
@MainActor
enum SceneRenderer {
    static func describe(_ window: UIWindow?) -> SceneDescription {
        var scene = SceneDescription(browser: nil, items: [], stack: [], webs: [])
        guard let root = window?.rootViewController else { return scene }
        let content = root.contentViewController
        if let browser = content as? UIDocumentBrowserViewController {
            scene.browser = browser.description(tint: browser.view.tintColor)
            scene.items = browser.itemDescriptions
        } else {
            add(root, to: &scene, isRoot: true)
        }
        var presented = root.presentedViewController
        while let controller = presented {
            add(controller, to: &scene, isRoot: false)
            presented = controller.presentedViewController
        }
        return scene
    }

    private static func add(_ controller: UIViewController, to scene: inout SceneDescription, isRoot: Bool) {
        if let alert = controller as? UIAlertController {
            scene.stack.append(layer(of: alert))
            return
        }
        let content = controller.contentViewController
        let frame = frames(in: content).first
        if let frame, let address = frame.address {
            scene.webs.append(.init(id: frame.identifier, url: address))
        }
        var layer = content.layer
        layer.web = frame?.identifier
        // At the bottom there is nothing to go back to, but for what was pushed over it.
        if isRoot { layer.done = ((controller as? UINavigationController)?.children.count ?? 1) > 1 }
        scene.stack.append(layer)
    }

    /// The frames of editors below a view controller's view, front to back.
    static func frames(in controller: UIViewController) -> [EditorFrame] {
        guard let view = controller.viewIfLoaded else { return [] }
        return view.descendants.compactMap(\.editorFrame)
    }

    private static func layer(of alert: UIAlertController) -> SceneDescription.Layer {
        let choices = alert.actions.enumerated().map { index, action in
            let style =
                switch action.style {
                case .default: "default"
                case .cancel: "cancel"
                case .destructive: "destructive"
                }
            return SceneDescription.Choice(id: "\(index)", title: action.title ?? "", style: style)
        }
        let fields = (alert.textFields ?? []).map {
            SceneDescription.Field(
                placeholder: $0.placeholder ?? "",
                text: $0.text ?? "",
                secure: $0.isSecureTextEntry
            )
        }
        return SceneDescription.Layer(
            id: alert.pageIdentifier,
            kind: alert.preferredStyle == .alert ? "alert" : "sheet",
            title: alert.title ?? "",
            message: alert.message ?? "",
            fields: fields,
            actions: choices
        )
    }
}

extension SceneDescription.Bar {
    @MainActor
    init(_ item: UIBarButtonItem) {
        self.init(
            id: item.pageIdentifier,
            title: item.title ?? item.primaryAction?.title ?? "",
            icon: nil,
            style: item.style == .done ? "done" : "plain",
            enabled: item.isEnabled
        )
    }
}
