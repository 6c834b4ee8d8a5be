/// What a tab is told of its scene. The names are the protocol's; see Docs/formats/page.md.
struct SceneDescription: Encodable {
    var browser: Browser?
    var items: [Item]
    var stack: [Layer]
    var webs: [Web]
    /// The address of a frame to hold ready.
    var spare: String?

    struct Browser: Encodable, Equatable {
        var id: String
        var title: String
        var style: String
        var tint: String
        var canCreate: Bool
        var createTitle: String
        var allowsMultiple: Bool
        var showsExtensions: Bool
        var folder: String
        var path: [Step]
        var leading: [Bar]
        var trailing: [Bar]
        var actions: [Action]
        var undo: String?
        var redo: String?
        var explained: Explained?
        /// Those that wait for a person.
        var largeChanges: [LargeChange] = []
        /// The last one that has gone on.
        var lastLargeChange: PastLargeChange?
    }

    /// A change so large that a person is asked first.
    struct LargeChange: Encodable, Equatable {
        /// Another one has another.
        var id: String
        /// Whether it was made here; else on another device.
        var leaving: Bool
        /// So many items wait.
        var waiting: Int
        /// So many had been removed or replaced before it was seen how many there would be.
        var done: Int
        /// Of so many items.
        var items: Int
        /// The entry of the log after which it came.
        var restorePoint: UInt64
    }

    /// A large change that has gone on.
    struct PastLargeChange: Encodable, Equatable {
        /// Another one has another.
        var id: String
        /// So many items were removed or replaced.
        var items: Int
        /// The entry of the log after which it came.
        var restorePoint: UInt64
    }

    /// Why an item is as it is.
    struct Explained: Encodable, Equatable {
        var item: String
        var title: String
        var settled: Bool
        var answered: Bool
        var causes: [String]
        var next: String
        /// On which devices it is, in sentences.
        var devices: [String]
    }

    /// How an item stands that other devices have, too.
    struct Sync: Encodable, Equatable {
        var state: String
        /// 0 to 100; nil where it is not known, or nothing is under way.
        var percent: Int?
        /// Whether its contents are here.
        var here: Bool
        /// Whether they were asked for, and are not here yet.
        var requested = false
        var paused = false
        /// Whether a folder stands so for what is in it.
        var inside = false
        var message: String?
    }

    struct Step: Encodable, Equatable {
        var id: String
        var name: String
    }

    struct Action: Encodable, Equatable {
        var id: String
        var title: String
        var menu: Bool
        var bar: Bool
        var types: [String]
        var multiple: Bool
    }

    struct Item: Encodable, Equatable {
        var id: String
        var name: String
        var title: String
        var kind: String
        var type: String
        var typeTitle: String
        var icon: String
        var openable: Bool
        var size: Int64?
        var modified: Double?
        var open: Bool
        var sync: Sync?
    }

    struct Bar: Encodable, Equatable {
        var id: String
        var title: String
        var icon: String?
        var style: String
        var enabled: Bool
    }

    struct Web: Encodable, Equatable {
        var id: String
        var url: String
    }

    /// One presented thing. Only what its kind has is sent.
    struct Layer: Encodable, Equatable {
        var id: String
        var kind: String
        var title: String
        var web: String?
        var leading: [Bar]?
        var trailing: [Bar]?
        var state: State?
        var undo: Undo?
        var redo: Undo?
        var rename: Bool?
        var done: Bool?
        var message: String?
        var fields: [Field]?
        var actions: [Choice]?
    }

    struct State: Encodable, Equatable {
        var name: String
        var label: String
        var detail: String?
        var acts: [Act]
        /// Whether there are versions to choose from.
        var chooses: Bool?
    }

    struct Act: Encodable, Equatable {
        var name: String
        var arguments: [String: String]
        var title: String
    }

    struct Undo: Encodable, Equatable {
        var enabled: Bool
        var title: String
    }

    struct Field: Encodable, Equatable {
        var placeholder: String
        var text: String
        var secure: Bool
    }

    struct Choice: Encodable, Equatable {
        var id: String
        var title: String
        var style: String
    }
}
