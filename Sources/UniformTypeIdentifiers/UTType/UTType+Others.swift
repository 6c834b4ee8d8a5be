extension UTType {
    // MARK: Folders and programs

    /// Folder: `public.folder`.
    public static var folder: UTType { UTType(known: "public.folder") }

    /// Volume: `public.volume`.
    public static var volume: UTType { UTType(known: "public.volume") }

    /// Package: `com.apple.package`.
    public static var package: UTType { UTType(known: "com.apple.package") }

    /// Bundle: `com.apple.bundle`.
    public static var bundle: UTType { UTType(known: "com.apple.bundle") }

    /// Plug-in: `com.apple.plugin`.
    public static var pluginBundle: UTType { UTType(known: "com.apple.plugin") }

    /// Spotlight importer: `com.apple.metadata-importer`.
    public static var spotlightImporter: UTType { UTType(known: "com.apple.metadata-importer") }

    /// Quick Look generator: `com.apple.quicklook-generator`.
    public static var quickLookGenerator: UTType { UTType(known: "com.apple.quicklook-generator") }

    /// XPC service: `com.apple.xpc-service`.
    public static var xpcService: UTType { UTType(known: "com.apple.xpc-service") }

    /// Framework: `com.apple.framework`.
    public static var framework: UTType { UTType(known: "com.apple.framework") }

    /// Application: `com.apple.application`.
    public static var application: UTType { UTType(known: "com.apple.application") }

    /// Application: `com.apple.application-bundle`.
    public static var applicationBundle: UTType { UTType(known: "com.apple.application-bundle") }

    /// Application extension: `com.apple.application-and-system-extension`.
    public static var applicationExtension: UTType {
        UTType(known: "com.apple.application-and-system-extension")
    }

    /// Unix executable: `public.unix-executable`.
    public static var unixExecutable: UTType { UTType(known: "public.unix-executable") }

    /// Windows executable: `com.microsoft.windows-executable`.
    public static var exe: UTType { UTType(known: "com.microsoft.windows-executable") }

    /// Preference pane: `com.apple.systempreference.prefpane`.
    public static var systemPreferencesPane: UTType { UTType(known: "com.apple.systempreference.prefpane") }

    // MARK: Archives and the rest

    /// Archive: `public.archive`.
    public static var archive: UTType { UTType(known: "public.archive") }

    /// Gzip archive: `org.gnu.gnu-zip-archive`.
    public static var gzip: UTType { UTType(known: "org.gnu.gnu-zip-archive") }

    /// Bzip2 archive: `public.bzip2-archive`.
    public static var bz2: UTType { UTType(known: "public.bzip2-archive") }

    /// ZIP archive: `public.zip-archive`.
    public static var zip: UTType { UTType(known: "public.zip-archive") }

    /// Apple archive: `com.apple.archive`.
    public static var appleArchive: UTType { UTType(known: "com.apple.archive") }

    /// Tar archive: `public.tar-archive`.
    public static var tarArchive: UTType { UTType(known: "public.tar-archive") }

    /// Spreadsheet: `public.spreadsheet`.
    public static var spreadsheet: UTType { UTType(known: "public.spreadsheet") }

    /// Presentation: `public.presentation`.
    public static var presentation: UTType { UTType(known: "public.presentation") }

    /// Database: `public.database`.
    public static var database: UTType { UTType(known: "public.database") }

    /// Message: `public.message`.
    public static var message: UTType { UTType(known: "public.message") }

    /// Contact: `public.contact`.
    public static var contact: UTType { UTType(known: "public.contact") }

    /// VCard: `public.vcard`.
    public static var vCard: UTType { UTType(known: "public.vcard") }

    /// To-do item: `public.to-do-item`.
    public static var toDoItem: UTType { UTType(known: "public.to-do-item") }

    /// Calendar event: `public.calendar-event`.
    public static var calendarEvent: UTType { UTType(known: "public.calendar-event") }

    /// Email message: `public.email-message`.
    public static var emailMessage: UTType { UTType(known: "public.email-message") }

    /// Internet location: `com.apple.internet-location`.
    public static var internetLocation: UTType { UTType(known: "com.apple.internet-location") }

    /// Internet location: `com.apple.internet-location`.
    public static var internetShortcut: UTType { UTType(known: "com.apple.internet-location") }

    /// Font: `public.font`.
    public static var font: UTType { UTType(known: "public.font") }

    /// Bookmark: `public.bookmark`.
    public static var bookmark: UTType { UTType(known: "public.bookmark") }

    /// PKCS #12 identity: `com.rsa.pkcs-12`.
    public static var pkcs12: UTType { UTType(known: "com.rsa.pkcs-12") }

    /// X.509 certificate: `public.x509-certificate`.
    public static var x509Certificate: UTType { UTType(known: "public.x509-certificate") }

    /// EPUB publication: `org.idpf.epub-container`.
    public static var epub: UTType { UTType(known: "org.idpf.epub-container") }

    /// Log: `public.log`.
    public static var log: UTType { UTType(known: "public.log") }

    /// Haptic pattern: `com.apple.haptics.ahap`.
    public static var ahap: UTType { UTType(known: "com.apple.haptics.ahap") }

    /// GeoJSON document: `public.geojson`.
    public static var geoJSON: UTType { UTType(known: "public.geojson") }

    /// Link metadata: `com.apple.linkpresentation.metadata`.
    public static var linkPresentationMetadata: UTType {
        UTType(known: "com.apple.linkpresentation.metadata")
    }

    /// Shazam signature: `com.apple.shazamsignature`.
    public static var shazamSignature: UTType { UTType(known: "com.apple.shazamsignature") }

    /// Shazam catalogue: `com.apple.shazamcatalog`.
    public static var shazamCustomCatalog: UTType { UTType(known: "com.apple.shazamcatalog") }
}
