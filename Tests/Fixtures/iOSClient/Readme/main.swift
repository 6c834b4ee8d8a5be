import UIKit

class Note: UIDocument {
    var text = ""
    override func contents(forType typeName: String) throws -> Any { Data(text.utf8) }
    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        text = String(decoding: contents as? Data ?? Data(), as: UTF8.self)
    }
}

let note = Note(fileURL: FileManager.default.temporaryDirectory.appendingPathComponent("Sea.txt"))
note.text = "Waves"
note.save(to: note.fileURL, for: .forCreating) { saved in
    note.text += " and wind"
    note.updateChangeCount(.done)
    note.close { closed in
        print(saved, closed, (try? String(contentsOf: note.fileURL, encoding: .utf8)) ?? "nothing")
        exit(0)
    }
}
RunLoop.main.run()
