import SyncModel

/// What `sync-harness bugs 500 100 told` made of one story for each bug.
let shortStories: [PlantedBug: Story] = [
    .lostRename: Story(
        deviceCount: 3,
        restSeed: 7485070489784698171,
        deeds: [
            .make(on: 1, isFolder: false, folder: 0, name: 0),
            .make(on: 2, isFolder: true, folder: 0, name: 0),
        ]
    ),
    .unheardRemoval: Story(
        deviceCount: 2,
        restSeed: 13774658774328935408,
        deeds: [
            .make(on: 0, isFolder: false, folder: 0, name: 0),
            .remove(on: 0, item: 0),
        ]
    ),
    .staleCommit: Story(
        deviceCount: 2,
        restSeed: 13774658774328935408,
        deeds: [
            .make(on: 0, isFolder: false, folder: 0, name: 0),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .make(on: 0, isFolder: false, folder: 0, name: 1),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .hear(on: 0),
            .work(on: 1),
            .edit(on: 1, item: 0),
            .hear(on: 1),
            .remove(on: 0, item: 0),
            .hear(on: 1),
        ]
    ),
    .staleOverwrite: Story(
        deviceCount: 3,
        restSeed: 7485070489784698171,
        deeds: [
            .make(on: 2, isFolder: false, folder: 0, name: 0),
            .hear(on: 2),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 2),
            .deliver(letter: 0),
            .deliver(letter: 1),
            .make(on: 0, isFolder: false, folder: 0, name: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 0),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .edit(on: 0, item: 0),
        ]
    ),
    .droppedConflict: Story(
        deviceCount: 3,
        restSeed: 11738919763359505895,
        deeds: [
            .make(on: 2, isFolder: false, folder: 0, name: 0),
            .make(on: 2, isFolder: false, folder: 0, name: 2),
            .hear(on: 2),
            .hear(on: 2),
            .lose(letter: 1),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 2),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .work(on: 1),
            .edit(on: 1, item: 0),
            .edit(on: 2, item: 0),
        ]
    ),
    .oneSidedMerge: Story(
        deviceCount: 4,
        restSeed: 207466479800663575,
        deeds: [
            .make(on: 1, isFolder: false, folder: 0, name: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 3),
            .hear(on: 3),
            .deliver(letter: 3),
            .deliver(letter: 3),
            .edit(on: 1, item: 0),
            .edit(on: 1, item: 0),
            .hear(on: 3),
            .work(on: 3),
            .edit(on: 3, item: 0),
        ]
    ),
    .unsentContents: Story(
        deviceCount: 2,
        restSeed: 7485070489784698171,
        deeds: [
            .make(on: 1, isFolder: false, folder: 0, name: 0)
        ]
    ),
    .removalBeatsEdit: Story(
        deviceCount: 3,
        restSeed: 9835470026481233190,
        deeds: [
            .make(on: 1, isFolder: false, folder: 0, name: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .edit(on: 1, item: 0),
            .hear(on: 2),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .restoreHub(backup: 0),
            .work(on: 2),
            .make(on: 0, isFolder: false, folder: 0, name: 0),
            .hear(on: 2),
            .hear(on: 2),
            .hear(on: 2),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .remove(on: 2, item: 0),
            .readLog(on: 1, count: 7),
            .deliver(letter: 0),
        ]
    ),
    .duplicateAfterRetry: Story(
        deviceCount: 2,
        restSeed: 13774658774328935408,
        deeds: [
            .make(on: 0, isFolder: false, folder: 0, name: 0),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .crashHub(letter: 0, hasWritten: false),
        ]
    ),
    .emptyFile: Story(
        deviceCount: 2,
        restSeed: 7485070489784698171,
        deeds: [
            .make(on: 1, isFolder: false, folder: 0, name: 0)
        ]
    ),
    .removalOfFullFolder: Story(
        deviceCount: 4,
        restSeed: 1452730853849011982,
        deeds: [
            .make(on: 2, isFolder: false, folder: 0, name: 0),
            .hear(on: 2),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 2),
            .deliver(letter: 0),
            .deliver(letter: 1),
            .goOffline(on: 0),
            .deliver(letter: 1),
            .hear(on: 3),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 3),
            .remove(on: 2, item: 0),
            .work(on: 3),
            .hear(on: 2),
            .hear(on: 2),
            .deliver(letter: 0),
            .double(letter: 3),
            .edit(on: 3, item: 0),
        ]
    ),
    .ownWorkTakenForOthers: Story(
        deviceCount: 2,
        restSeed: 13774658774328935408,
        deeds: [
            .make(on: 0, isFolder: false, folder: 0, name: 0),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .remove(on: 0, item: 0),
        ]
    ),
    .resurrectedDelete: Story(
        deviceCount: 2,
        restSeed: 4130072340171494798,
        deeds: [
            .make(on: 0, isFolder: false, folder: 0, name: 0),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .remove(on: 0, item: 0),
        ]
    ),
    .halfPackage: Story(
        deviceCount: 2,
        restSeed: 7485070489784698171,
        deeds: [
            .make(on: 1, isFolder: false, folder: 0, name: 0),
            .edit(on: 1, item: 0),
        ]
    ),
    .undurableUpload: Story(
        deviceCount: 2,
        restSeed: 15952338471332574213,
        deeds: [
            .make(on: 1, isFolder: false, folder: 0, name: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .crashHub(letter: 0, hasWritten: true),
        ]
    ),
    .missingRoot: Story(
        deviceCount: 4,
        restSeed: 10667403715567252323,
        deeds: [
            .make(on: 3, isFolder: true, folder: 0, name: 0),
            .kill(on: 3),
        ]
    ),
    .unheededRestore: Story(
        deviceCount: 2,
        restSeed: 13774658774328935408,
        deeds: [
            .make(on: 1, isFolder: false, folder: 0, name: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 1),
            .restoreHub(backup: 0),
        ]
    ),
    .evictedTakenForHere: Story(
        deviceCount: 2,
        restSeed: 5896246242938238973,
        brakePercent: 10,
        deeds: [
            .make(on: 1, isFolder: false, folder: 0, name: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .deliver(letter: 0),
            .deliver(letter: 1),
            .evict(on: 1, item: 0),
            .restoreMemory(on: 1),
        ]
    ),
    .unheardPause: Story(
        deviceCount: 3,
        restSeed: 16432905801407295887,
        deeds: [
            .make(on: 0, isFolder: true, folder: 0, name: 0),
            .make(on: 0, isFolder: true, folder: 0, name: 1),
            .hear(on: 0),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .hear(on: 1),
            .hear(on: 2),
            .hear(on: 2),
            .work(on: 2),
            .work(on: 2),
            .work(on: 1),
            .work(on: 1),
            .pause(on: 1, item: 0),
            .cross(on: 2, and: 0, folder: 0),
            .hear(on: 0),
            .hear(on: 0),
            .hear(on: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .hear(on: 1),
            .work(on: 1),
        ]
    ),
    .lostMembers: Story(
        deviceCount: 3,
        restSeed: 1591482145978321419,
        deeds: [
            .make(on: 2, isFolder: false, folder: 0, name: 0),
            .make(on: 2, isFolder: true, folder: 0, name: 2),
            .make(on: 1, isFolder: true, folder: 0, name: 2),
            .move(on: 2, item: 0, folder: 7, name: 3),
        ]
    ),
    .bothRemoved: Story(
        deviceCount: 2,
        restSeed: 8020804604568690670,
        brakePercent: 40,
        deeds: [
            .make(on: 0, isFolder: false, folder: 0, name: 0),
            .hear(on: 0),
            .double(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .deliver(letter: 0),
            .bring(to: 1, from: 0),
        ]
    ),
]
