extension SystemTypes {
    /// What people call the types that have a static property: identifier, space, description.
    static let descriptions: StaticString = """
        public.item item
        public.content content
        public.composite-content mixed content
        public.disk-image disk image
        public.data data
        public.directory directory
        com.apple.resolvable reference to another item
        public.symlink symbolic link
        public.executable program
        com.apple.mount-point mount point
        com.apple.alias-file alias
        com.apple.bookmark bookmark data
        public.url web address
        public.file-url file address
        public.text text
        public.plain-text plain text
        public.utf8-plain-text UTF-8 plain text
        public.utf16-external-plain-text UTF-16 plain text with byte order mark
        public.utf16-plain-text UTF-16 plain text
        public.delimited-values-text delimited values
        public.comma-separated-values-text comma-separated values
        public.tab-separated-values-text tab-separated values
        public.utf8-tab-separated-values-text UTF-8 tab-separated values
        public.rtf rich text document
        public.html HTML document
        public.xml XML document
        public.yaml YAML document
        public.css CSS style sheet
        public.source-code source code
        public.assembly-source assembly source
        public.c-source C source
        public.objective-c-source Objective-C source
        public.swift-source Swift source
        public.c-plus-plus-source C++ source
        public.objective-c-plus-plus-source Objective-C++ source
        public.c-header C header
        public.c-plus-plus-header C++ header
        public.script script
        com.apple.applescript.text AppleScript text
        com.apple.applescript.script compiled AppleScript
        com.apple.applescript.script-bundle AppleScript bundle
        com.netscape.javascript-source JavaScript source
        public.shell-script shell script
        public.perl-script Perl script
        public.python-script Python script
        public.ruby-script Ruby script
        public.php-script PHP script
        public.make-source makefile
        public.json JSON document
        com.apple.property-list property list
        com.apple.xml-property-list XML property list
        com.apple.binary-property-list binary property list
        com.adobe.pdf PDF document
        com.apple.rtfd rich text with attachments
        com.apple.flat-rtfd flattened rich text with attachments
        com.apple.webarchive web archive
        public.image image
        public.jpeg JPEG image
        public.tiff TIFF image
        com.compuserve.gif GIF image
        public.png PNG image
        com.apple.icns Apple icon image
        com.microsoft.bmp Windows bitmap image
        com.microsoft.ico Windows icon image
        public.camera-raw-image camera raw image
        public.svg-image SVG image
        com.apple.live-photo Live Photo
        public.heif HEIF image
        public.heic HEIC image
        public.heics HEIC image sequence
        org.webmproject.webp WebP image
        com.ilm.openexr-image OpenEXR image
        com.adobe.raw-image DNG raw image
        public.jpeg-xl JPEG XL image
        public.3d-content 3D content
        com.pixar.universal-scene-description Universal Scene Description
        com.pixar.universal-scene-description-mobile Universal Scene Description package
        com.apple.reality Reality file
        com.apple.scenekit.scene SceneKit scene
        com.apple.arobject AR reference object
        public.audiovisual-content audiovisual content
        public.movie movie
        public.video video
        public.audio audio
        com.apple.quicktime-movie QuickTime movie
        public.mpeg MPEG movie
        public.mpeg-2-video MPEG-2 video
        public.mpeg-2-transport-stream MPEG-2 transport stream
        public.mp3 MP3 audio
        public.mpeg-4 MPEG-4 movie
        public.mpeg-4-audio MPEG-4 audio
        com.apple.protected-mpeg-4-audio protected MPEG-4 audio
        com.apple.protected-mpeg-4-video protected MPEG-4 video
        public.avi AVI movie
        public.aiff-audio AIFF audio
        com.microsoft.waveform-audio Waveform audio
        public.midi-audio MIDI audio
        public.playlist playlist
        public.m3u-playlist M3U playlist
        public.folder folder
        public.volume volume
        com.apple.package package
        com.apple.bundle bundle
        com.apple.plugin plug-in
        com.apple.metadata-importer Spotlight importer
        com.apple.quicklook-generator Quick Look generator
        com.apple.xpc-service XPC service
        com.apple.framework framework
        com.apple.application application
        com.apple.application-bundle application
        com.apple.application-and-system-extension application extension
        public.unix-executable Unix executable
        com.microsoft.windows-executable Windows executable
        com.apple.systempreference.prefpane preference pane
        public.archive archive
        org.gnu.gnu-zip-archive gzip archive
        public.bzip2-archive bzip2 archive
        public.zip-archive ZIP archive
        com.apple.archive Apple archive
        public.tar-archive tar archive
        public.spreadsheet spreadsheet
        public.presentation presentation
        public.database database
        public.message message
        public.contact contact
        public.vcard vCard
        public.to-do-item to-do item
        public.calendar-event calendar event
        public.email-message email message
        com.apple.internet-location Internet location
        public.font font
        public.bookmark bookmark
        com.rsa.pkcs-12 PKCS #12 identity
        public.x509-certificate X.509 certificate
        org.idpf.epub-container EPUB publication
        public.log log
        com.apple.haptics.ahap haptic pattern
        public.geojson GeoJSON document
        com.apple.linkpresentation.metadata link metadata
        com.apple.shazamsignature Shazam signature
        com.apple.shazamcatalog Shazam catalogue
        org.sheaf.replica data that several devices edit
        """
}
