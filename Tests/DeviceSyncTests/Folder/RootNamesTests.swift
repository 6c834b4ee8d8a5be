import FileSystem
import Foundation
import Testing

@testable import DeviceSync

/// What a container's folder, and the top of a volume below it, are known by for ever.
@Suite("What folders are known by")
struct RootNamesTests {
    /// Of a stick of kind FAT, at the first port.
    private let stick = FileIdentity(mark: nil, volume: 0x811, inode: 1, birth: nil, kind: .directory)

    @Test("The next stick in the same port is another folder")
    func sticks() {
        let (first, second) = (RootNames(of: stick, fatSerial: 1), RootNames(of: stick, fatSerial: 2))
        let name = first.lasting(notedAs: nil)
        #expect(first.contains(name) && !second.contains(name))
        // In another port it is the same.
        var elsewhere = stick
        elsewhere.volume = 0x821
        #expect(RootNames(of: elsewhere, fatSerial: 1).contains(name))
        // Where nobody may ask, nobody knows.
        #expect(!RootNames(of: stick, fatSerial: nil).contains(name))
    }

    @Test("What a version before this one has noted is the folder still, and is noted better")
    func notedBefore() {
        let former = RootNames(of: stick, fatSerial: nil).lasting(notedAs: nil)
        let names = RootNames(of: stick, fatSerial: 7)
        #expect(names.contains(former) && names.lasting(notedAs: former) == names.lasting(notedAs: nil))
        #expect(names.lasting(notedAs: former) != former)
        let plain = RootNames(of: stick, fatSerial: nil)
        #expect(plain.lasting(notedAs: former) == former)
    }

    @Test("One that bears a mark is known by that, and stays what it was noted as")
    func marked() {
        var identity = stick
        let place = RootNames(of: identity, fatSerial: nil).lasting(notedAs: nil)
        identity.mark = FileMark.fresh()
        let names = RootNames(of: identity, fatSerial: nil)
        #expect(names.lasting(notedAs: nil) == identity.mark?.bytes && names.lasting(notedAs: place) == place)
        identity.volume += 1
        #expect(names.lasting(notedAs: nil) == RootNames(of: identity, fatSerial: nil).lasting(notedAs: nil))
    }

    @Test(
        "The top of a volume is told by when it was made, else by its number, and on FAT by the volume's own"
    )
    func tops() {
        var born = stick
        born.birth = FileIdentity.Birth(seconds: 1, nanoseconds: 2)
        let top = TopFolder(born, fatSerial: nil)
        var other = born
        other.inode = 99
        #expect(!TopFolder(other, fatSerial: nil).isAnother(than: top))
        other.birth?.nanoseconds = 3
        #expect(TopFolder(other, fatSerial: nil).isAnother(than: top))
        #expect(TopFolder(stick, fatSerial: 1).isAnother(than: TopFolder(stick, fatSerial: 2)))
        other.birth = nil
        #expect(TopFolder(other, fatSerial: nil).isAnother(than: TopFolder(stick, fatSerial: nil)))
        // As it is written down, and as nobody has noted it.
        #expect(!top.isAnother(than: TopFolder(noted: top.bytes ?? [])))
        #expect(!top.isAnother(than: .unknown) && TopFolder(noted: []) == .unknown)
    }
}
