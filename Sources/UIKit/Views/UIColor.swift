public import Foundation

/// A colour by its red, green, blue and opacity.
open class UIColor: NSObject, @unchecked Sendable {
    // Sendable because nothing of it changes after it was made.
    private let red: CGFloat
    private let green: CGFloat
    private let blue: CGFloat
    private let alpha: CGFloat

    /// Components from 0 to 1 in the sRGB space; beyond that they are kept as given.
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
        super.init()
    }

    /// A grey, from 0 (black) to 1 (white).
    public convenience init(white: CGFloat, alpha: CGFloat) {
        self.init(red: white, green: white, blue: white, alpha: alpha)
    }

    /// Gives the components.
    ///
    /// - Returns: Always true here.
    @discardableResult
    open func getRed(
        _ red: UnsafeMutablePointer<CGFloat>?,
        green: UnsafeMutablePointer<CGFloat>?,
        blue: UnsafeMutablePointer<CGFloat>?,
        alpha: UnsafeMutablePointer<CGFloat>?
    ) -> Bool {
        red?.pointee = self.red
        green?.pointee = self.green
        blue?.pointee = self.blue
        alpha?.pointee = self.alpha
        return true
    }

    /// Equal by components.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? UIColor else { return false }
        return (red, green, blue, alpha) == (other.red, other.green, other.blue, other.alpha)
    }

    /// Equal colours hash equally.
    open override var hash: Int {
        var hasher = Hasher()
        for component in [red, green, blue, alpha] { hasher.combine(component) }
        return hasher.finalize()
    }

    /// The colour as a page writes it, without the opacity: "#0a84ff".
    package var hexadecimal: String {
        "#"
            + [red, green, blue].map { component in
                // What is no number is as good as nothing; asking for an integer of it would end the process.
                let byte = component.isNaN ? 0 : Int((min(max(component, 0), 1) * 255).rounded())
                return (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }.joined()
    }

    /// The blue that controls have unless told otherwise.
    public static let systemBlue = UIColor(red: 0, green: 0.478, blue: 1, alpha: 1)
    /// A red.
    public static let systemRed = UIColor(red: 1, green: 0.231, blue: 0.188, alpha: 1)
    /// An orange.
    public static let systemOrange = UIColor(red: 1, green: 0.584, blue: 0, alpha: 1)
    /// A green.
    public static let systemGreen = UIColor(red: 0.204, green: 0.78, blue: 0.349, alpha: 1)
    /// A teal.
    public static let systemTeal = UIColor(red: 0.188, green: 0.69, blue: 0.78, alpha: 1)
    /// An indigo.
    public static let systemIndigo = UIColor(red: 0.345, green: 0.337, blue: 0.839, alpha: 1)
    /// A purple.
    public static let systemPurple = UIColor(red: 0.686, green: 0.322, blue: 0.871, alpha: 1)
    /// A pink.
    public static let systemPink = UIColor(red: 1, green: 0.176, blue: 0.333, alpha: 1)
    /// Black.
    public static let black = UIColor(white: 0, alpha: 1)
    /// White.
    public static let white = UIColor(white: 1, alpha: 1)
}
