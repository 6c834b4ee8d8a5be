import FileSystem
import Foundation
import Sync
import TestFolders
import TestThreads
import Testing

@testable import DeviceSync

@Suite("Folders that are listed by two", .onOwnThreads, .timeLimit(.minutes(3)))
struct FolderListingsTests {
    private let ownFolder: TestFolder
    private var base: URL { ownFolder.url }
    private let folders: [FilePath]

    init() throws {
        ownFolder = try TestFolder("listings")
        let base = ownFolder.url
        folders = (0..<60).map { FilePath(base.path).appending("folder \($0)") }
        for (number, folder) in folders.enumerated() {
            try FileManager.default.createDirectory(
                atPath: folder.string,
                withIntermediateDirectories: true
            )
            for member in 0..<(number % 7) {
                try Data().write(to: folder.appending("\(number)-\(member)").url(isDirectory: false))
            }
        }
    }

    private func names(_ listing: FolderListing?) throws -> Set<String>? {
        try listing.map { Set(try $0.members.get().map(\.name)) }
    }

    private func expected(_ number: Int) -> Set<String> {
        Set((0..<(number % 7)).map { "\(number)-\($0)" })
    }

    @Test(
        "Each has what is in it, in whatever order the two come to it, and who is passed over is in nobody's way"
    )
    func all() throws {
        for round in 0..<20 {
            let listings = try #require(FolderListings(of: folders))
            for number in folders.indices where round % 3 == 0 || number % 5 != round % 5 {
                #expect(try names(listings.listing(at: number)) == expected(number))
            }
            listings.end()
        }
    }

    @Test(
        "Who goes ahead stops where enough is held, and who looks comes to the end all the same",
        arguments: [0, 1, 10]
    )
    func bounded(memberCountMax: Int) throws {
        let listings = try #require(FolderListings(of: folders, memberCountMax: memberCountMax))
        for number in folders.indices {
            #expect(try names(listings.listing(at: number)) == expected(number))
        }
        listings.end()
    }

    @Test(
        "What is as it was seen last is told apart, in each folder by itself, by whichever of the two lists it"
    )
    func unchanged() throws {
        for _ in 0..<10 {
            let listings = try #require(
                FolderListings(of: folders) { index, member in
                    member.name.hasSuffix("-1") ? ItemID(UInt64(index), 1) : nil
                }
            )
            for number in folders.indices {
                let listing = try #require(listings.listing(at: number))
                #expect(listing.unchanged == (number % 7 > 1 ? [ItemID(UInt64(number), 1)] : []))
                #expect(try names(listing) == expected(number).filter { !$0.hasSuffix("-1") })
            }
            listings.end()
        }
    }

    @Test("In a large folder, too, at which several threads look, each member is told in one way, once")
    func large() throws {
        let count = 3000
        for number in 0..<count { close(creat(folders[0].appending("\(number)").string, 0o600)) }
        let listing = FolderListing(of: folders[0]) { member in
            UInt64(member.name).flatMap { $0 % 2 == 0 ? ItemID(0, $0) : nil }
        }
        #expect(listing.unchanged.map(\.low).sorted() == stride(from: 0, to: UInt64(count), by: 2).map { $0 })
        #expect(
            try listing.members.get().compactMap { Int($0.name) }.sorted()
                == stride(from: 1, to: count, by: 2).map { $0 }
        )
    }

    @Test("One that is gone, is none or is not looked at says so, and only it does")
    func unreadable() throws {
        var paths: [FilePath?] = folders
        paths[3] = FilePath(base.path).appending("nowhere")
        paths[4] = nil
        paths[6] = folders[5].appending("5-0")
        let listings = try #require(FolderListings(of: paths))
        for number in paths.indices {
            let listing = listings.listing(at: number)
            switch number {
            case 3: #expect(throws: SystemError.self) { try listing?.members.get() }
            case 4: #expect(listing == nil)
            case 6:
                #expect {
                    try listing?.members.get()
                } throws: {
                    ($0 as? SystemError)?.errno == ENOTDIR
                }
            default: #expect(try names(listing) == expected(number))
            }
        }
        listings.end()
    }

    @Test("For a few no other thread is asked")
    func few() throws {
        #expect(FolderListings(of: Array(folders.prefix(2))) == nil)
    }
}
