import FileSystem
import Testing

@Suite("Mount")
struct MountTests {
    private let table = """
        22 1 0:21 / / rw,relatime - ext4 /dev/sda1 rw
        23 22 0:22 / /proc rw,nosuid - proc proc rw
        30 22 0:30 / /mnt/photo\\040disk\\134old rw shared:7 master:1 - vfat /dev/sdb1 rw
        31 22 0:31 / /media/cd ro,relatime - ext4 /dev/sr0 ro
        32 22 0:32 / /net rw - nfs4 host:/all rw
        33 22 0:33 / /media rw - tmpfs tmpfs rw
        34 22 0:34 / /media rw - xfs /dev/sdc1 rw
        cut short
        35 22 0:35 / /odd\\4 rw - tmpfs tmpfs rw
        """

    @Test(
        "Places are told with the signs that the table writes as digits, and a line that is cut is left out"
    )
    func places() {
        #expect(
            Mount.all(in: table).map(\.place) == [
                "/", "/proc", "/mnt/photo disk\\old", "/media/cd", "/net", "/media", "/media", "/odd\\4",
            ]
        )
    }

    @Test(
        "A path is on the longest place above it, of several at one place on the last",
        arguments: [
            ("/srv/sea.txt", "ext4"), ("/mnt/photo disk\\old", "vfat"), ("/mnt/photo disk\\older", "ext4"),
            ("/media/cd/a", "ext4"), ("/media/a", "xfs"), ("/mediathek", "ext4"), ("/net/a", "nfs4"),
        ]
    )
    func longest(path: String, type: String) {
        #expect(Mount(of: path, in: Mount.all(in: table))?.type == type)
    }

    @Test(
        "Items are looked for where a person puts them: not on what is read only, the system's or another machine's"
    )
    func local() {
        let places = Mount.all(in: table).filter(\.isLocalForItems).map(\.place)
        #expect(places == ["/", "/mnt/photo disk\\old", "/media", "/media", "/odd\\4"])
    }

    @Test("A folder of a volume that is mounted alone is not the whole volume")
    func whole() {
        let table = """
            22 1 0:21 / / rw,relatime - btrfs /dev/sda1 rw
            23 22 0:21 /@home /home rw,relatime - btrfs /dev/sda1 rw
            """
        #expect(Mount.all(in: table).map(\.isWhole) == [true, false])
    }

    @Test("A table that is longer than a page is read to its end: this process's own has its root")
    func own() {
        #expect(Mount.all.contains { $0.place == "/" })
        #expect(Mount(of: "/", in: Mount.all) != nil)
    }
}
