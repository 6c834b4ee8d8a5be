/// The words of a check phrase: 256 of them, so that each stands for a byte. No two begin with the same four letters.
enum PhraseWords {
    static let all = """
        acorn actor album amber anchor angel ankle apple apron arrow artist autumn bacon badge bakery banjo
        barrel basket beacon bench berry bicycle birch blanket blossom bottle branch bread bridge brush
        bucket butter cabin cactus camel candle canoe carpet castle cello chalk cherry chimney cider circus
        cliff clock cloud clover coast cobweb coffee comet copper coral cotton cradle crayon cricket crown
        daisy dancer desert diamond dinner dolphin donkey dragon drawer drum eagle earth easel echo elbow
        elephant ember engine evening falcon farmer feather fence ferry fiddle field finger flame flower
        flute forest fossil fountain fox frost galaxy garden garlic ginger giraffe glacier glove goblet
        goose granite grape guitar hammer harbor harvest hazel hedge helmet heron honey horizon hotel
        iceberg igloo indigo insect iris island ivory jacket jaguar jelly jewel jungle juniper kayak kettle
        kitchen kite koala ladder lagoon lantern laurel lemon letter lighthouse lily linen lizard lobster
        lotus magnet mango maple marble meadow melon mirror mitten monkey moon mosaic mountain muffin music
        napkin needle nickel nutmeg oasis ocean olive onion opera orange otter oyster paddle palace panda
        paper parrot peach pebble pencil penguin pepper piano pillow pirate planet plum pocket pony poppy
        potato pumpkin puzzle quartz queen quilt rabbit radio raft rainbow raven ribbon river robin rocket
        ruby saddle sailor salmon sandal scarf school shadow silver singer snow sparrow spider spoon
        squirrel star stone summer table tailor teapot temple thunder ticket tiger tomato tower train tulip
        tunnel turtle umbrella unicorn valley velvet village violin volcano wagon walnut water whale wheat
        willow window winter wolf yellow zebra zipper
        """
        .split { $0 == " " || $0 == "\n" }
        .map(String.init)

    /// A word for each byte.
    static func phrase(of bytes: some Sequence<UInt8>) -> [String] { bytes.map { all[Int($0)] } }
}
