import Foundation

/// What stands on an album's cover; kept as an archive inside the package.
class Cover: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    let title: String
    let year: Int

    init(title: String, year: Int) {
        self.title = title
        self.year = year
        super.init()
    }

    required init?(coder: NSCoder) {
        guard let title = coder.decodeObject(of: NSString.self, forKey: "title") else { return nil }
        self.title = title as String
        year = coder.decodeInteger(forKey: "year")
        super.init()
    }

    func encode(with coder: NSCoder) {
        coder.encode(title as NSString, forKey: "title")
        coder.encode(year, forKey: "year")
    }
}
