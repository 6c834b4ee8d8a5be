extension UTType {
    // MARK: Documents and images

    /// PDF document: `com.adobe.pdf`.
    public static var pdf: UTType { UTType(known: "com.adobe.pdf") }

    /// Rich text with attachments: `com.apple.rtfd`.
    public static var rtfd: UTType { UTType(known: "com.apple.rtfd") }

    /// Flattened rich text with attachments: `com.apple.flat-rtfd`.
    public static var flatRTFD: UTType { UTType(known: "com.apple.flat-rtfd") }

    /// Web archive: `com.apple.webarchive`.
    public static var webArchive: UTType { UTType(known: "com.apple.webarchive") }

    /// Image: `public.image`.
    public static var image: UTType { UTType(known: "public.image") }

    /// JPEG image: `public.jpeg`.
    public static var jpeg: UTType { UTType(known: "public.jpeg") }

    /// TIFF image: `public.tiff`.
    public static var tiff: UTType { UTType(known: "public.tiff") }

    /// GIF image: `com.compuserve.gif`.
    public static var gif: UTType { UTType(known: "com.compuserve.gif") }

    /// PNG image: `public.png`.
    public static var png: UTType { UTType(known: "public.png") }

    /// Apple icon image: `com.apple.icns`.
    public static var icns: UTType { UTType(known: "com.apple.icns") }

    /// Windows bitmap image: `com.microsoft.bmp`.
    public static var bmp: UTType { UTType(known: "com.microsoft.bmp") }

    /// Windows icon image: `com.microsoft.ico`.
    public static var ico: UTType { UTType(known: "com.microsoft.ico") }

    /// Camera raw image: `public.camera-raw-image`.
    public static var rawImage: UTType { UTType(known: "public.camera-raw-image") }

    /// SVG image: `public.svg-image`.
    public static var svg: UTType { UTType(known: "public.svg-image") }

    /// Live Photo: `com.apple.live-photo`.
    public static var livePhoto: UTType { UTType(known: "com.apple.live-photo") }

    /// HEIF image: `public.heif`.
    public static var heif: UTType { UTType(known: "public.heif") }

    /// HEIC image: `public.heic`.
    public static var heic: UTType { UTType(known: "public.heic") }

    /// HEIC image sequence: `public.heics`.
    public static var heics: UTType { UTType(known: "public.heics") }

    /// WebP image: `org.webmproject.webp`.
    public static var webP: UTType { UTType(known: "org.webmproject.webp") }

    /// OpenEXR image: `com.ilm.openexr-image`.
    public static var exr: UTType { UTType(known: "com.ilm.openexr-image") }

    /// DNG raw image: `com.adobe.raw-image`.
    public static var dng: UTType { UTType(known: "com.adobe.raw-image") }

    /// JPEG XL image: `public.jpeg-xl`.
    public static var jpegxl: UTType { UTType(known: "public.jpeg-xl") }

    /// 3D content: `public.3d-content`.
    public static var threeDContent: UTType { UTType(known: "public.3d-content") }

    /// Universal Scene Description: `com.pixar.universal-scene-description`.
    public static var usd: UTType { UTType(known: "com.pixar.universal-scene-description") }

    /// Universal Scene Description package: `com.pixar.universal-scene-description-mobile`.
    public static var usdz: UTType { UTType(known: "com.pixar.universal-scene-description-mobile") }

    /// Reality file: `com.apple.reality`.
    public static var realityFile: UTType { UTType(known: "com.apple.reality") }

    /// SceneKit scene: `com.apple.scenekit.scene`.
    public static var sceneKitScene: UTType { UTType(known: "com.apple.scenekit.scene") }

    /// AR reference object: `com.apple.arobject`.
    public static var arReferenceObject: UTType { UTType(known: "com.apple.arobject") }

    // MARK: Sound and film

    /// Audiovisual content: `public.audiovisual-content`.
    public static var audiovisualContent: UTType { UTType(known: "public.audiovisual-content") }

    /// Movie: `public.movie`.
    public static var movie: UTType { UTType(known: "public.movie") }

    /// Video: `public.video`.
    public static var video: UTType { UTType(known: "public.video") }

    /// Audio: `public.audio`.
    public static var audio: UTType { UTType(known: "public.audio") }

    /// QuickTime movie: `com.apple.quicktime-movie`.
    public static var quickTimeMovie: UTType { UTType(known: "com.apple.quicktime-movie") }

    /// MPEG movie: `public.mpeg`.
    public static var mpeg: UTType { UTType(known: "public.mpeg") }

    /// MPEG-2 video: `public.mpeg-2-video`.
    public static var mpeg2Video: UTType { UTType(known: "public.mpeg-2-video") }

    /// MPEG-2 transport stream: `public.mpeg-2-transport-stream`.
    public static var mpeg2TransportStream: UTType { UTType(known: "public.mpeg-2-transport-stream") }

    /// MP3 audio: `public.mp3`.
    public static var mp3: UTType { UTType(known: "public.mp3") }

    /// MPEG-4 movie: `public.mpeg-4`.
    public static var mpeg4Movie: UTType { UTType(known: "public.mpeg-4") }

    /// MPEG-4 audio: `public.mpeg-4-audio`.
    public static var mpeg4Audio: UTType { UTType(known: "public.mpeg-4-audio") }

    /// Protected MPEG-4 audio: `com.apple.protected-mpeg-4-audio`.
    public static var appleProtectedMPEG4Audio: UTType { UTType(known: "com.apple.protected-mpeg-4-audio") }

    /// Protected MPEG-4 video: `com.apple.protected-mpeg-4-video`.
    public static var appleProtectedMPEG4Video: UTType { UTType(known: "com.apple.protected-mpeg-4-video") }

    /// AVI movie: `public.avi`.
    public static var avi: UTType { UTType(known: "public.avi") }

    /// AIFF audio: `public.aiff-audio`.
    public static var aiff: UTType { UTType(known: "public.aiff-audio") }

    /// Waveform audio: `com.microsoft.waveform-audio`.
    public static var wav: UTType { UTType(known: "com.microsoft.waveform-audio") }

    /// MIDI audio: `public.midi-audio`.
    public static var midi: UTType { UTType(known: "public.midi-audio") }

    /// Playlist: `public.playlist`.
    public static var playlist: UTType { UTType(known: "public.playlist") }

    /// M3U playlist: `public.m3u-playlist`.
    public static var m3uPlaylist: UTType { UTType(known: "public.m3u-playlist") }
}
