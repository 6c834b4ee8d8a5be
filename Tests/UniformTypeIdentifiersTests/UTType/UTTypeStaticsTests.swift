import Testing
import UniformTypeIdentifiers

@Suite("UTType: properties")
struct UTTypeStaticsTests {
    static let abstractions: [UTType] = [
        .item, .content, .compositeContent, .diskImage, .data, .directory, .resolvable, .symbolicLink,
        .executable,
        .mountPoint, .aliasFile, .urlBookmarkData, .url, .fileURL, .archive, .spreadsheet, .presentation,
        .database,
        .message, .contact, .toDoItem, .calendarEvent, .emailMessage, .internetLocation, .internetShortcut,
        .font,
        .bookmark, .log, .linkPresentationMetadata, .playlist, .folder, .volume, .package, .bundle,
        .pluginBundle,
        .application,
    ]
    static let text: [UTType] = [
        .text, .plainText, .utf8PlainText, .utf16ExternalPlainText, .utf16PlainText, .delimitedText,
        .commaSeparatedText, .tabSeparatedText, .utf8TabSeparatedText, .rtf, .html, .xml, .yaml, .css,
        .sourceCode,
        .assemblyLanguageSource, .cSource, .objectiveCSource, .swiftSource, .cPlusPlusSource,
        .objectiveCPlusPlusSource, .cHeader, .cPlusPlusHeader, .script, .appleScript, .osaScript,
        .osaScriptBundle,
        .javaScript, .shellScript, .perlScript, .pythonScript, .rubyScript, .phpScript, .makefile, .json,
        .vCard,
        .m3uPlaylist, .geoJSON, .ahap,
    ]
    static let images: [UTType] = [
        .image, .jpeg, .tiff, .gif, .png, .icns, .bmp, .ico, .rawImage, .svg, .heif, .heic, .heics, .webP,
        .exr,
        .dng, .jpegxl,
    ]
    static let audiovisual: [UTType] = [
        .audiovisualContent, .movie, .video, .audio, .quickTimeMovie, .mpeg, .mpeg2Video,
        .mpeg2TransportStream, .mp3,
        .mpeg4Movie, .mpeg4Audio, .appleProtectedMPEG4Audio, .appleProtectedMPEG4Video, .avi, .aiff, .wav,
        .midi,
    ]
    static let others: [UTType] = [
        .propertyList, .xmlPropertyList, .binaryPropertyList, .pdf, .rtfd, .flatRTFD, .webArchive, .livePhoto,
        .threeDContent, .usd, .usdz, .realityFile, .sceneKitScene, .arReferenceObject, .spotlightImporter,
        .quickLookGenerator, .xpcService, .framework, .applicationBundle, .applicationExtension,
        .unixExecutable, .exe,
        .systemPreferencesPane, .gzip, .bz2, .zip, .appleArchive, .tarArchive, .pkcs12, .x509Certificate,
        .epub,
        .shazamSignature, .shazamCustomCatalog,
    ]

    @Test("Every property names a declared type with a description")
    func declared() {
        let all = Self.abstractions + Self.text + Self.images + Self.audiovisual + Self.others
        #expect(all.count == 142 && Set(all).count == 141, "two properties name the Internet location")
        for type in all {
            #expect(UTType(type.identifier) == type, "\(type)")
            #expect(type.isDeclared && type.localizedDescription != nil, "\(type)")
        }
    }

    @Test("Families conform to what they are families of")
    func families() {
        for type in Self.images { #expect(type.conforms(to: .image), "\(type)") }
        for type in Self.audiovisual { #expect(type.conforms(to: .audiovisualContent), "\(type)") }
        for type in [UTType.swiftSource, .json, .html, .rtf, .pythonScript, .geoJSON, .yaml] {
            #expect(type.conforms(to: .text) && type.conforms(to: .data), "\(type)")
        }
        for type in [UTType.zip, .gzip, .tarArchive, .appleArchive, .bz2] {
            #expect(type.conforms(to: .archive) && type.conforms(to: .data), "\(type)")
        }
    }

    @Test("No type conforms to itself through others, and every preferred extension leads back")
    func consistency() throws {
        for type in Self.text + Self.images + Self.audiovisual + Self.others {
            #expect(!type.supertypes.contains(type), "\(type)")
            guard let preferred = type.preferredFilenameExtension else { continue }
            let found = UTType.types(tag: preferred, tagClass: .filenameExtension, conformingTo: nil)
            #expect(found.contains(type), "\(type) by \(preferred)")
        }
    }
}
