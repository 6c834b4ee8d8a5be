extension UTType {
    // MARK: Roots and abstractions

    /// Item: `public.item`.
    public static var item: UTType { UTType(known: "public.item") }

    /// Content: `public.content`.
    public static var content: UTType { UTType(known: "public.content") }

    /// Mixed content: `public.composite-content`.
    public static var compositeContent: UTType { UTType(known: "public.composite-content") }

    /// Disk image: `public.disk-image`.
    public static var diskImage: UTType { UTType(known: "public.disk-image") }

    /// Data: `public.data`.
    public static var data: UTType { UTType(known: "public.data") }

    /// Directory: `public.directory`.
    public static var directory: UTType { UTType(known: "public.directory") }

    /// Reference to another item: `com.apple.resolvable`.
    public static var resolvable: UTType { UTType(known: "com.apple.resolvable") }

    /// Symbolic link: `public.symlink`.
    public static var symbolicLink: UTType { UTType(known: "public.symlink") }

    /// Program: `public.executable`.
    public static var executable: UTType { UTType(known: "public.executable") }

    /// Mount point: `com.apple.mount-point`.
    public static var mountPoint: UTType { UTType(known: "com.apple.mount-point") }

    /// Alias: `com.apple.alias-file`.
    public static var aliasFile: UTType { UTType(known: "com.apple.alias-file") }

    /// Bookmark data: `com.apple.bookmark`.
    public static var urlBookmarkData: UTType { UTType(known: "com.apple.bookmark") }

    /// Web address: `public.url`.
    public static var url: UTType { UTType(known: "public.url") }

    /// File address: `public.file-url`.
    public static var fileURL: UTType { UTType(known: "public.file-url") }

    // MARK: Text and source

    /// Text: `public.text`.
    public static var text: UTType { UTType(known: "public.text") }

    /// Plain text: `public.plain-text`.
    public static var plainText: UTType { UTType(known: "public.plain-text") }

    /// UTF-8 plain text: `public.utf8-plain-text`.
    public static var utf8PlainText: UTType { UTType(known: "public.utf8-plain-text") }

    /// UTF-16 plain text with byte order mark: `public.utf16-external-plain-text`.
    public static var utf16ExternalPlainText: UTType { UTType(known: "public.utf16-external-plain-text") }

    /// UTF-16 plain text: `public.utf16-plain-text`.
    public static var utf16PlainText: UTType { UTType(known: "public.utf16-plain-text") }

    /// Delimited values: `public.delimited-values-text`.
    public static var delimitedText: UTType { UTType(known: "public.delimited-values-text") }

    /// Comma-separated values: `public.comma-separated-values-text`.
    public static var commaSeparatedText: UTType { UTType(known: "public.comma-separated-values-text") }

    /// Tab-separated values: `public.tab-separated-values-text`.
    public static var tabSeparatedText: UTType { UTType(known: "public.tab-separated-values-text") }

    /// UTF-8 tab-separated values: `public.utf8-tab-separated-values-text`.
    public static var utf8TabSeparatedText: UTType { UTType(known: "public.utf8-tab-separated-values-text") }

    /// Rich text document: `public.rtf`.
    public static var rtf: UTType { UTType(known: "public.rtf") }

    /// HTML document: `public.html`.
    public static var html: UTType { UTType(known: "public.html") }

    /// XML document: `public.xml`.
    public static var xml: UTType { UTType(known: "public.xml") }

    /// YAML document: `public.yaml`.
    public static var yaml: UTType { UTType(known: "public.yaml") }

    /// CSS style sheet: `public.css`.
    public static var css: UTType { UTType(known: "public.css") }

    /// Source code: `public.source-code`.
    public static var sourceCode: UTType { UTType(known: "public.source-code") }

    /// Assembly source: `public.assembly-source`.
    public static var assemblyLanguageSource: UTType { UTType(known: "public.assembly-source") }

    /// C source: `public.c-source`.
    public static var cSource: UTType { UTType(known: "public.c-source") }

    /// Objective-C source: `public.objective-c-source`.
    public static var objectiveCSource: UTType { UTType(known: "public.objective-c-source") }

    /// Swift source: `public.swift-source`.
    public static var swiftSource: UTType { UTType(known: "public.swift-source") }

    /// C++ source: `public.c-plus-plus-source`.
    public static var cPlusPlusSource: UTType { UTType(known: "public.c-plus-plus-source") }

    /// Objective-C++ source: `public.objective-c-plus-plus-source`.
    public static var objectiveCPlusPlusSource: UTType {
        UTType(known: "public.objective-c-plus-plus-source")
    }

    /// C header: `public.c-header`.
    public static var cHeader: UTType { UTType(known: "public.c-header") }

    /// C++ header: `public.c-plus-plus-header`.
    public static var cPlusPlusHeader: UTType { UTType(known: "public.c-plus-plus-header") }

    /// Script: `public.script`.
    public static var script: UTType { UTType(known: "public.script") }

    /// AppleScript text: `com.apple.applescript.text`.
    public static var appleScript: UTType { UTType(known: "com.apple.applescript.text") }

    /// Compiled AppleScript: `com.apple.applescript.script`.
    public static var osaScript: UTType { UTType(known: "com.apple.applescript.script") }

    /// AppleScript bundle: `com.apple.applescript.script-bundle`.
    public static var osaScriptBundle: UTType { UTType(known: "com.apple.applescript.script-bundle") }

    /// JavaScript source: `com.netscape.javascript-source`.
    public static var javaScript: UTType { UTType(known: "com.netscape.javascript-source") }

    /// Shell script: `public.shell-script`.
    public static var shellScript: UTType { UTType(known: "public.shell-script") }

    /// Perl script: `public.perl-script`.
    public static var perlScript: UTType { UTType(known: "public.perl-script") }

    /// Python script: `public.python-script`.
    public static var pythonScript: UTType { UTType(known: "public.python-script") }

    /// Ruby script: `public.ruby-script`.
    public static var rubyScript: UTType { UTType(known: "public.ruby-script") }

    /// PHP script: `public.php-script`.
    public static var phpScript: UTType { UTType(known: "public.php-script") }

    /// Makefile: `public.make-source`.
    public static var makefile: UTType { UTType(known: "public.make-source") }

    /// JSON document: `public.json`.
    public static var json: UTType { UTType(known: "public.json") }

    /// Property list: `com.apple.property-list`.
    public static var propertyList: UTType { UTType(known: "com.apple.property-list") }

    /// XML property list: `com.apple.xml-property-list`.
    public static var xmlPropertyList: UTType { UTType(known: "com.apple.xml-property-list") }

    /// Binary property list: `com.apple.binary-property-list`.
    public static var binaryPropertyList: UTType { UTType(known: "com.apple.binary-property-list") }
}
