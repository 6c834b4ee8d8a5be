extension SystemTypes {
    /// The types of other makers that the system declares, as `SystemTypes` describes.
    static let othersTable: StaticString = """
        com.pixar.universal-scene-description public.3d-content,public.data usd,usda,usdc -
        com.pixar.universal-scene-description-mobile public.3d-content,public.data usdz model/vnd.usdz+zip
        com.microsoft.windows-executable public.data,public.executable exe application/x-msdownload
        com.microsoft.windows-dynamic-link-library public.data,public.executable dll application/x-msdownload
        com.sun.java-class public.data,public.executable class -
        com.sun.java-archive public.zip-archive,public.executable jar application/java-archive
        com.sun.web-application-archive com.sun.java-archive war -
        org.gnu.gnu-tar-archive public.data,public.archive gtar application/x-gtar
        org.gnu.gnu-zip-archive public.data,public.archive gz,gzip application/x-gzip,application/gzip
        org.gnu.gnu-zip-tar-archive org.gnu.gnu-zip-archive tgz -
        com.pkware.zip-archive public.data,public.archive - -
        com.microsoft.internet-shortcut public.stored-url,public.data url -
        com.scenarist.closed-caption public.text scc -
        org.w3.webvtt public.text vtt text/vtt
        com.sun.java-source public.source-code java,jav -
        com.netscape.javascript-source public.script,public.executable js,jscript,javascript,mjs \
        text/javascript
        com.sun.java-web-start public.xml jnlp application/x-java-jnlp-file,application/jnlp
        ca.mcgill.mni.bic.mnc public.image mnc,minc -
        org.nema.dicom public.data dcm,dicom application/dicom
        gov.nih.nifti-1 public.data nii -
        org.3gpp.adaptive-multi-rate-audio public.audio amr audio/amr
        com.audible.aa-audio public.audio - -
        com.audible.aa-audiobook com.audible.aa-audio aa audio/audible,audio/x-pn-audibleaudio,audio/x-audible
        com.audible.aax-audiobook com.audible.aa-audio aax audio/vnd.audible.aax
        com.sony.wave64 public.audio w64 -
        com.adobe.postscript-font public.font - -
        com.adobe.postscript-lwfn-font com.adobe.postscript-font - -
        com.adobe.postscript-pfb-font com.adobe.postscript-font pfb -
        com.adobe.postscript-pfa-font com.adobe.postscript-font pfa -
        org.openxmlformats.openxml public.data - -
        org.oasis-open.opendocument public.data - -
        com.rsa.pkcs-12 public.data p12,pfx application/x-pkcs12
        org.idpf.epub-container public.data,public.composite-content epub application/epub+zip
        org.aafassociation.advanced-authoring-format public.data,public.composite-content aaf -
        vnd.android.package-archive public.data,public.archive apk application/vnd.android.package-archive
        com.adobe.pdf public.data,public.composite-content pdf application/pdf
        com.adobe.edn public.data edn -
        com.adobe.etd public.data etd -
        com.adobe.xfdf public.data,public.composite-content xfdf -
        com.adobe.fdf public.data fdf -
        com.adobe.postscript public.data,public.composite-content ps application/postscript
        com.adobe.encapsulated-postscript com.adobe.postscript eps -
        com.compuserve.gif public.image gif image/gif
        com.microsoft.bmp public.image bmp,dib image/bmp
        com.microsoft.ico public.image ico image/vnd.microsoft.icon
        org.webmproject.webp public.image webp image/webp
        org.webmproject.webm public.movie webm video/webm,audio/webm
        org.openoffice.text public.data,public.content sxw,sdw application/vnd.sun.xml.writer,\
        application/vnd.stardivision.writer
        org.openoffice.text-template public.data,public.content stw application/vnd.sun.xml.writer.template
        org.oasis-open.opendocument.text org.oasis-open.opendocument,public.composite-content odt \
        application/vnd.oasis.opendocument.text
        org.oasis-open.opendocument.text-template org.oasis-open.opendocument,public.composite-content ott \
        application/vnd.oasis.opendocument.text-template
        org.openoffice.graphics public.data,public.content sxd,sda application/vnd.sun.xml.draw,\
        application/vnd.stardivision.draw
        org.openoffice.graphics-template public.data,public.content std application/vnd.sun.xml.draw.template
        org.oasis-open.opendocument.graphics org.oasis-open.opendocument,public.composite-content odg \
        application/vnd.oasis.opendocument.graphics
        org.oasis-open.opendocument.graphics-template org.oasis-open.opendocument,public.composite-content \
        otg application/vnd.oasis.opendocument.graphics-template
        org.openoffice.presentation public.data,public.content,public.presentation sxi,sdd,sdp \
        application/vnd.sun.xml.impress,application/vnd.stardivision.impress,\
        application/vnd.stardivision.impress-packed
        org.openoffice.presentation-template public.data,public.content,public.presentation sti \
        application/vnd.sun.xml.impress.template
        org.oasis-open.opendocument.presentation org.oasis-open.opendocument,public.composite-content,\
        public.presentation odp application/vnd.oasis.opendocument.presentation
        org.oasis-open.opendocument.presentation-template org.oasis-open.opendocument,\
        public.composite-content,public.presentation otp \
        application/vnd.oasis.opendocument.presentation-template
        org.openoffice.spreadsheet public.data,public.spreadsheet sxc,sdc application/vnd.sun.xml.calc,\
        application/vnd.stardivision.calc
        org.openoffice.spreadsheet-template public.data,public.spreadsheet stc \
        application/vnd.sun.xml.calc.template
        org.oasis-open.opendocument.spreadsheet org.oasis-open.opendocument,public.composite-content,\
        public.spreadsheet ods application/vnd.oasis.opendocument.spreadsheet
        org.oasis-open.opendocument.spreadsheet-template org.oasis-open.opendocument,\
        public.composite-content,public.spreadsheet ots \
        application/vnd.oasis.opendocument.spreadsheet-template
        org.oasis-open.opendocument.chart org.oasis-open.opendocument,public.composite-content odc \
        application/vnd.oasis.opendocument.chart
        org.oasis-open.opendocument.chart-template org.oasis-open.opendocument,public.composite-content otc \
        application/vnd.oasis.opendocument.chart-template
        org.oasis-open.opendocument.image org.oasis-open.opendocument,public.image odi \
        application/vnd.oasis.opendocument.image
        org.oasis-open.opendocument.image-template org.oasis-open.opendocument,public.image oti \
        application/vnd.oasis.opendocument.image-template
        org.openoffice.formula public.data,public.content sxm,smf application/vnd.sun.xml.math,\
        application/vnd.stardivision.math
        org.oasis-open.opendocument.formula org.oasis-open.opendocument,public.content odf \
        application/vnd.oasis.opendocument.formula
        org.oasis-open.opendocument.formula-template org.oasis-open.opendocument,public.content otf \
        application/vnd.oasis.opendocument.formula-template
        org.openoffice.text-master public.data,public.content sxg application/vnd.sun.xml.writer.global
        org.oasis-open.opendocument.text-master org.oasis-open.opendocument,public.composite-content odm \
        application/vnd.oasis.opendocument.text-master
        org.oasis-open.opendocument.text-web org.oasis-open.opendocument,public.composite-content oth \
        application/vnd.oasis.opendocument.text-web
        org.oasis-open.opendocument.database public.data,public.content,public.database odb \
        application/vnd.oasis.opendocument.database
        com.microsoft.word.wordml public.xml,public.composite-content xml -
        org.openxmlformats.wordprocessingml.document org.openxmlformats.openxml,public.composite-content \
        docx application/vnd.openxmlformats-officedocument.wordprocessingml.document
        org.openxmlformats.wordprocessingml.document.macroenabled org.openxmlformats.openxml,\
        public.composite-content,public.executable docm application/vnd.ms-word.document.macroEnabled.12
        org.openxmlformats.wordprocessingml.template org.openxmlformats.openxml,public.composite-content \
        dotx application/vnd.openxmlformats-officedocument.wordprocessingml.template
        org.openxmlformats.wordprocessingml.template.macroenabled org.openxmlformats.openxml,\
        public.composite-content,public.executable dotm application/vnd.ms-word.template.macroEnabled.12
        org.openxmlformats.spreadsheetml.sheet org.openxmlformats.openxml,public.composite-content,\
        public.spreadsheet xlsx application/vnd.openxmlformats-officedocument.spreadsheetml.sheet
        org.openxmlformats.spreadsheetml.sheet.macroenabled org.openxmlformats.openxml,\
        public.composite-content,public.spreadsheet,public.executable xlsm \
        application/vnd.ms-excel.sheet.macroEnabled.12
        com.microsoft.excel.sheet.binary.macroenabled public.zip-archive,public.composite-content,\
        public.spreadsheet,public.executable xlsb application/vnd.ms-excel.sheet.binary.macroEnabled.12
        org.openxmlformats.spreadsheetml.template org.openxmlformats.openxml,public.composite-content,\
        public.spreadsheet xltx application/vnd.openxmlformats-officedocument.spreadsheetml.template
        org.openxmlformats.spreadsheetml.template.macroenabled org.openxmlformats.openxml,\
        public.composite-content,public.spreadsheet,public.executable xltm \
        application/vnd.ms-excel.template.macroEnabled.12
        org.openxmlformats.presentationml.presentation org.openxmlformats.openxml,public.presentation pptx \
        application/vnd.openxmlformats-officedocument.presentationml.presentation
        org.openxmlformats.presentationml.presentation.macroenabled org.openxmlformats.openxml,\
        public.presentation,public.executable pptm \
        application/vnd.ms-powerpoint.presentation.macroEnabled.12
        org.openxmlformats.presentationml.slideshow org.openxmlformats.openxml,public.presentation ppsx \
        application/vnd.openxmlformats-officedocument.presentationml.slideshow
        org.openxmlformats.presentationml.slideshow.macroenabled org.openxmlformats.openxml,\
        public.presentation,public.executable ppsm application/vnd.ms-powerpoint.slideshow.macroEnabled.12
        org.openxmlformats.presentationml.template org.openxmlformats.openxml,public.presentation potx \
        application/vnd.openxmlformats-officedocument.presentationml.template
        org.openxmlformats.presentationml.template.macroenabled org.openxmlformats.openxml,\
        public.presentation,public.executable potm application/vnd.ms-powerpoint.template.macroEnabled.12
        com.microsoft.word.doc public.data,public.composite-content doc application/msword
        com.microsoft.word.dot public.data,public.composite-content dot application/msword
        com.microsoft.excel.xls public.data,public.composite-content,public.spreadsheet xls \
        application/vnd.ms-excel,application/msexcel
        com.microsoft.excel.xlt public.data,public.spreadsheet xlt application/vnd.ms-excel,\
        application/msexcel
        com.microsoft.excel.xlw public.data,public.spreadsheet xlw application/vnd.ms-excel,\
        application/msexcel
        com.microsoft.excel.xla public.data xla -
        com.microsoft.powerpoint.ppt public.data,public.presentation ppt application/vnd.ms-powerpoint,\
        application/mspowerpoint
        com.microsoft.powerpoint.pot public.data,public.presentation pot application/vnd.ms-powerpoint,\
        application/mspowerpoint
        com.microsoft.powerpoint.pps public.data,public.presentation pps application/vnd.ms-powerpoint,\
        application/mspowerpoint
        com.adobe.photoshop-image public.image psd image/vnd.adobe.photoshop,image/photoshop,\
        image/x-photoshop,image/psd,application/photoshop
        com.adobe.photoshop-large-image public.image psb -
        com.adobe.illustrator.ai-image public.image ai -
        com.truevision.tga-image public.image tga image/targa,image/tga,application/tga
        com.sgi.sgi-image public.image sgi image/sgi
        com.ilm.openexr-image public.image exr -
        com.kodak.flashpix-image public.image fpx image/fpx,application/vnd.fpx
        com.j2.jfx-fax public.fax jfx -
        com.j2.efx-fax public.fax efx image/efax
        com.digidesign.sd2-audio public.audio sd2 -
        com.microsoft.waveform-audio public.audio wav,wave,bwf audio/vnd.wave,audio/wav,audio/wave,audio/x-wav
        com.microsoft.advanced-systems-format public.audiovisual-content asf video/x-ms-asf
        com.microsoft.windows-media-wm public.movie,com.microsoft.advanced-systems-format wm video/x-ms-wm
        com.microsoft.windows-media-wmv public.movie,com.microsoft.advanced-systems-format wmv video/x-ms-wmv
        com.microsoft.windows-media-wmp public.movie,com.microsoft.advanced-systems-format wmp video/x-ms-wmp
        com.microsoft.windows-media-wma public.audio,com.microsoft.advanced-systems-format wma video/x-ms-wma
        com.microsoft.advanced-stream-redirector public.audiovisual-content,public.xml asx video/x-ms-asx
        com.microsoft.windows-media-wmx public.movie,com.microsoft.advanced-stream-redirector wmx \
        video/x-ms-wmx
        com.microsoft.windows-media-wvx public.movie,com.microsoft.advanced-stream-redirector wvx \
        video/x-ms-wvx
        com.microsoft.windows-media-wax public.audio,com.microsoft.advanced-stream-redirector wax \
        video/x-ms-wax
        com.real.realmedia public.movie rm application/vnd.rn-realmedia
        com.real.realmedia-vbr public.movie rmvb application/vnd.rn-realmedia-vbr
        org.smpte.mxf public.movie mxf application/mxf
        com.real.realaudio public.audio ram,ra audio/vnd.rn-realaudio,audio/x-pn-realaudio,audio/x-realaudio
        com.soundblaster.soundfont public.audio sf2 -
        org.xiph.flac public.audio flac audio/flac
        com.avid.open-media-framework public.audiovisual-content omf -
        com.allume.stuffit-archive public.data,public.archive - -
        com.stuffit.archive.sitx com.allume.stuffit-archive sitx application/x-stuffitx,application/x-sitx
        com.stuffit.archive.sidx com.allume.stuffit-archive sidx application/x-stuffitx-index,\
        application/x-sitx-index
        com.stuffit.archive.sit com.allume.stuffit-archive sit,sea application/x-stuffit,application/x-sit
        com.adobe.flash.video public.movie flv,f4v,f4p,f4a,f4b video/x-flv
        org.khronos.collada.digital-asset-exchange public.xml,public.audiovisual-content,public.3d-content \
        dae -
        org.7-zip.7-zip-archive public.data,public.archive 7z application/x-7z-compressed
        org.tukaani.xz-archive public.data,public.archive xz application/x-xz
        org.tukaani.tar-xz-archive public.data,public.archive txz -
        com.microsoft.cab public.data,public.archive cab -
        com.adobe.raw-image public.camera-raw-image dng image/x-adobe-dng
        org.sheaf.replica public.data,public.content replica -
        """
}
