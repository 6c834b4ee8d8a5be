internal import Foundation
internal import StandardStreams

/// Lets the delegate and the objects of a tab encode their state.
@MainActor
enum ViewArchiver {
    /// - Parameter date: When it is kept.
    /// - Returns: Nil when the app's delegate does not want its state kept.
    static func archive(_ root: UIViewController?, keptAt date: Date) throws -> ViewArchive? {
        guard let data = application(keptAt: date) else { return nil }
        var archive = ViewArchive(application: data)
        archive.objects += RestorableControllers.all(below: root).map(object)
        archive.objects += RestorableObjects.all.map { object($0.path, $0.object) }
        return archive
    }

    private static func application(keptAt date: Date) -> Data? {
        let application = UIApplication.shared
        guard let delegate = application.delegate else { return nil }
        let coder = NSKeyedArchiver(requiringSecureCoding: false)
        guard delegate.application(application, shouldSaveSecureApplicationState: coder) else { return nil }
        delegate.application(application, willEncodeRestorableStateWith: coder)
        let version = Bundle.main.infoDictionary?["CFBundleVersion"] as? String
        coder.encode(version ?? "", forKey: UIApplication.stateRestorationBundleVersionKey)
        coder.encode(
            ProcessInfo.processInfo.operatingSystemVersionString,
            forKey: UIApplication.stateRestorationSystemVersionKey
        )
        coder.encode(date as NSDate, forKey: UIApplication.stateRestorationTimestampKey)
        let idiom = NSNumber(value: unspecifiedIdiom)
        coder.encode(idiom, forKey: UIApplication.stateRestorationUserInterfaceIdiomKey)
        coder.finishEncoding()
        return coder.encodedData
    }

    /// `UIUserInterfaceIdiom.unspecified`, which Sheaf has no other use for.
    private static let unspecifiedIdiom = -1

    private static func object(_ found: RestorableControllers.Found) -> ViewArchive.Object {
        ViewArchive.Object(
            path: found.path,
            restorationClass: name(of: found.controller.restorationClass as? AnyClass),
            isPresented: found.isPresented,
            data: data(of: found.controller)
        )
    }

    private static func object(_ path: [String], _ object: any UIStateRestoring) -> ViewArchive.Object {
        ViewArchive.Object(
            path: path,
            restorationClass: name(of: object.objectRestorationClass as? AnyClass),
            isRegistered: true,
            data: data(of: object)
        )
    }

    /// The name by which a class is found again; nil for one inside another type or a function, or private to
    /// a file, which Foundation cannot find.
    private static func name(of type: AnyClass?) -> String? {
        guard let type else { return nil }
        let name = String(reflecting: type)
        guard let found: AnyClass = NSClassFromString(name), found == type else {
            StandardError.say(
                "\(name) cannot restore anything: make it a class of its own, not a private one."
            )
            return nil
        }
        return name
    }

    private static func data(of object: any UIStateRestoring) -> Data {
        let coder = NSKeyedArchiver(requiringSecureCoding: false)
        object.encodeRestorableState(with: coder)
        coder.finishEncoding()
        return coder.encodedData
    }
}

/// Finds or makes the objects of an archive again, and lets them decode.
@MainActor
struct ViewUnarchiver {
    private let archive: ViewArchive

    init(_ archive: ViewArchive) {
        self.archive = archive
    }

    /// 1. Each object is found or made, and put over the one that it stood over.
    /// 2. Each decodes. 3. Each is told that all have. 4. The delegate is told.
    func restore(below root: UIViewController?) {
        let application = UIApplication.shared
        guard let delegate = application.delegate, let coder = Self.coder(archive.application),
            delegate.application(application, shouldRestoreSecureApplicationState: coder)
        else { return }
        var restored: [(object: any UIStateRestoring, coder: NSKeyedUnarchiver)] = []
        for saved in archive.objects {
            guard let own = Self.coder(saved.data), let object = find(saved, own, root) else { continue }
            restored.append((object, own))
        }
        for (object, own) in restored { object.decodeRestorableState(with: own) }
        for (object, _) in restored { object.applicationFinishedRestoringState() }
        delegate.application(application, didDecodeRestorableStateWith: coder)
    }

    /// An object of a class that is not there any more is nothing, instead of the end of the process.
    private static func coder(_ data: Data) -> NSKeyedUnarchiver? {
        // An archive that cannot be read holds nothing.
        guard let coder = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
        coder.requiresSecureCoding = false
        coder.decodingFailurePolicy = .setErrorAndReturn
        return coder
    }

    private func find(
        _ saved: ViewArchive.Object,
        _ coder: NSCoder,
        _ root: UIViewController?
    ) -> (any UIStateRestoring)? {
        let type: AnyClass? = saved.restorationClass.flatMap { NSClassFromString($0) }
        if saved.isRegistered {
            if let type = type as? any UIObjectRestoration.Type {
                return type.object(withRestorationIdentifierPath: saved.path, coder: coder)
            }
            return RestorableObjects.all.first { $0.path == saved.path }?.object
        }
        guard let controller = controller(saved, type, coder, root) else { return nil }
        place(controller, saved, root)
        return controller
    }

    private func controller(
        _ saved: ViewArchive.Object,
        _ type: AnyClass?,
        _ coder: NSCoder,
        _ root: UIViewController?
    ) -> UIViewController? {
        if let type = type as? any UIViewControllerRestoration.Type {
            return type.viewController(withRestorationIdentifierPath: saved.path, coder: coder)
        }
        let application = UIApplication.shared
        return application.delegate?.application(
            application,
            viewControllerWithRestorationIdentifierPath: saved.path,
            coder: coder
        ) ?? RestorableControllers.all(below: root).first { $0.path == saved.path }?.controller
    }

    private func place(_ controller: UIViewController, _ saved: ViewArchive.Object, _ root: UIViewController?)
    {
        let all = RestorableControllers.all(below: root)
        guard saved.isPresented, !all.contains(where: { $0.controller === controller }),
            let under = all.first(where: { $0.path == Array(saved.path.dropLast()) })
        else { return }
        under.controller.present(controller, animated: false)
    }
}
