import FileSystem
import Foundation
import Testing

@testable import DocumentFoundation

/// What is known of items by their numbers.
@Suite("ItemCatalogue")
struct ItemCatalogueTests {
    private typealias Place = ItemCatalogue.Place

    @Test("A folder is found by its path: a scope's, one in it, and one that has moved, but none elsewhere")
    func folders() {
        var catalogue = ItemCatalogue()
        let one = catalogue.addRoot(FilePath("/one"))
        let two = catalogue.addRoot(FilePath("/two/in"))
        func add(_ name: String, in folder: Int) -> Int {
            let item = ListedItem(name: name, inode: 1, kind: .directory)
            _ = catalogue.add(item, form: .folder, in: folder)
            return catalogue.addFolder(Place(folder: folder, name: ItemName(name)), package: nil)
        }
        let inner = add("inner", in: one)
        let deep = add("deep", in: inner)
        #expect(catalogue.folder(at: FilePath("/one")) == one)
        #expect(catalogue.folder(at: FilePath("/two/in")) == two)
        #expect(catalogue.folder(at: FilePath("/one/inner")) == inner)
        #expect(catalogue.folder(at: FilePath("/one/inner/deep")) == deep)
        for path in ["/", "/two", "/two/in/inner", "/one/inner/none", "/one/inner/deep/none", "one"] {
            #expect(catalogue.folder(at: FilePath(path)) == nil, "\(path)")
        }
        let target = Place(folder: two, name: ItemName("moved"))
        _ = catalogue.move(Place(folder: one, name: ItemName("inner")), to: target)
        #expect(catalogue.folder(at: FilePath("/one/inner")) == nil)
        #expect(catalogue.folder(at: FilePath("/two/in/moved/deep")) == deep)
        #expect(catalogue.path(ofFolder: deep) == FilePath("/two/in/moved/deep"))
        #expect(catalogue.remove(target).folders.sorted() == [inner, deep])
        #expect(catalogue.folder(at: FilePath("/two/in/moved")) == nil)
        #expect(catalogue.folder(at: FilePath("/two/in")) == two)
    }
}
