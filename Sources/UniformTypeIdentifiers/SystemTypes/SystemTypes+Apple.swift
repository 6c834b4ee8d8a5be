extension SystemTypes {
    /// The types whose identifier begins with `com.apple.`, as `SystemTypes` describes.
    static let appleTable: StaticString = """
        com.apple.application public.executable - -
        com.apple.csstore public.data,public.database csstore -
        com.apple.iCloud public.item - -
        com.apple.reality public.data reality model/vnd.reality
        com.apple.scenekit.scene public.data,public.3d-content scn,scnz -
        com.apple.arobject public.data arobject -
        com.apple.ical.vcs public.text,public.item,public.calendar-event vcs,vcal text/x-vcalendar
        com.apple.ical.ics public.text,public.item,public.calendar-event ics text/calendar
        com.apple.shazamsignature public.data shazamsignature -
        com.apple.shazamcatalog public.data shazamcatalog -
        com.apple.traditional-mac-plain-text public.plain-text - -
        com.apple.log public.plain-text,public.log log -
        com.apple.shutdownStall public.utf8-plain-text,public.log shutdownStall -
        com.apple.gpuRestart public.utf8-plain-text,public.log gpuRestart -
        com.apple.crashreport public.utf8-plain-text,public.log crash -
        com.apple.hangreport public.utf8-plain-text,public.log hang -
        com.apple.spinreport public.utf8-plain-text,public.log spin -
        com.apple.panicreport public.utf8-plain-text,public.log panic -
        com.apple.ktrace public.data,public.log ktrace -
        com.apple.ostype public.text - -
        com.apple.nspboard-type public.text - -
        com.apple.device-model-code public.text - -
        com.apple.pasteboard.promised-file-url - - -
        com.apple.pasteboard.promised-file-content-type - - -
        com.apple.cocoa.pasteboard.color public.data - -
        com.apple.cocoa.pasteboard.sound public.data - -
        com.apple.cocoa.pasteboard.character-formatting public.data - -
        com.apple.cocoa.pasteboard.paragraph-formatting public.data - -
        com.apple.cocoa.pasteboard.multiple-text-selection public.data - -
        com.apple.cocoa.pasteboard.find-panel-search-options public.data - -
        com.apple.mapkit.map-item public.data - -
        com.apple.resolvable - - -
        com.apple.mount-point public.item,com.apple.resolvable - -
        com.apple.bookmark public.data,com.apple.resolvable - -
        com.apple.alias-file public.data,com.apple.resolvable - -
        com.apple.alias-record public.data,com.apple.resolvable - -
        com.apple.icloud-file-fault public.data icloud -
        com.apple.finder.clipping public.data - -
        com.apple.finder.sound-clipping com.apple.finder.clipping sndClipping -
        com.apple.finder.textclipping com.apple.finder.clipping textclipping -
        com.apple.finder.pictclipping com.apple.finder.clipping,public.image pictclipping -
        com.apple.finder.burn-folder public.folder fpbf -
        com.apple.iconset public.folder iconset -
        com.apple.finder.smart-folder public.data savedSearch -
        com.apple.finder.recent-items com.apple.finder.smart-folder - -
        com.apple.mach-o-binary public.unix-executable - -
        com.apple.mach-o-object com.apple.mach-o-binary - -
        com.apple.mach-o-executable com.apple.mach-o-binary - -
        com.apple.x11-mach-o-executable com.apple.mach-o-binary - -
        com.apple.mach-o-core com.apple.mach-o-binary - -
        com.apple.mach-o-dylib com.apple.mach-o-binary dylib -
        com.apple.mach-o-bundle com.apple.mach-o-binary - -
        com.apple.pef-binary public.data,public.executable - -
        com.apple.quartz-composer-composition public.data,public.executable qtz application/x-quartzcomposer
        com.apple.bom-archive public.archive - -
        com.apple.binhex-archive public.data,public.archive hqx application/mac-binhex40,\
        application/mac-binhex,application/binhex
        com.apple.macbinary-archive public.data,public.archive bin application/macbinary,\
        application/x-macbinary
        com.apple.applesingle-archive public.data,public.archive as -
        com.apple.bom-compressed-cpio public.data,com.apple.bom-archive cpgz -
        com.apple.xar-archive public.data,public.archive xar -
        com.apple.xip-archive com.apple.xar-archive xip -
        com.apple.installer-package-archive public.data,public.archive pkg,mpkg -
        com.apple.archive public.data,public.archive aar,yaa -
        com.apple.encrypted-archive public.data,public.archive aea -
        com.apple.internet-location public.stored-url,public.data - -
        com.apple.web-internet-location com.apple.internet-location webloc -
        com.apple.vnc-internet-location com.apple.internet-location vncloc -
        com.apple.mail-internet-location com.apple.internet-location mailloc -
        com.apple.afp-internet-location com.apple.internet-location afploc -
        com.apple.file-internet-location com.apple.internet-location fileloc -
        com.apple.ftp-internet-location com.apple.internet-location ftploc -
        com.apple.news-internet-location com.apple.internet-location newsloc -
        com.apple.generic-internet-location com.apple.internet-location inetloc -
        com.apple.itunes.store-url public.url itms -
        com.apple.generic-stationery public.data - -
        com.apple.property-list public.data plist -
        com.apple.xml-property-list public.xml,com.apple.property-list plist -
        com.apple.binary-property-list com.apple.property-list plist -
        com.apple.ascii-property-list public.text,com.apple.property-list plist -
        com.apple.iig-source public.c-source iig -
        com.apple.rez-source public.source-code r -
        com.apple.symbol-export public.source-code exp -
        com.apple.xcode.dsym com.apple.package dsym -
        com.apple.live-photo - - -
        com.apple.private.live-photo-bundle com.apple.live-photo,com.apple.bundle,com.apple.package pvt -
        com.apple.pict public.image pict,pct,pic image/pict,image/x-pict,image/x-macpict
        com.apple.macpaint-image public.image pntg -
        com.apple.quicktime-image public.image qtif,qti image/x-quicktime
        com.apple.icns public.image icns -
        com.apple.quicktime-movie public.movie mov,qt video/quicktime
        com.apple.m4v-video public.mpeg-4 m4v video/x-m4v
        com.apple.protected-mpeg-4-video com.apple.m4v-video - -
        com.apple.audio-unit-preset com.apple.xml-property-list aupreset -
        com.apple.m4a-audio public.mpeg-4-audio m4a audio/x-m4a
        com.apple.mpeg-4-ringtone public.mpeg-4-audio m4r audio/x-m4r
        com.apple.protected-mpeg-4-audio public.audio m4p -
        com.apple.protected-mpeg-4-audio-b com.apple.protected-mpeg-4-audio m4b -
        com.apple.coreaudio-format public.audio caf -
        com.apple.truetype-datafork-suitcase-font public.truetype-font dfont -
        com.apple.font-suitcase public.font suit -
        com.apple.profile-font-icon public.item - -
        com.apple.applescript.text public.script applescript -
        com.apple.applescript.script public.data,public.script scpt -
        com.apple.applescript.script-bundle com.apple.bundle,com.apple.package,public.script scptd -
        com.apple.scripting-definition public.xml sdef -
        com.apple.drop-folder public.folder - -
        com.apple.applications-folder public.folder - -
        com.apple.server-applications-folder public.folder - -
        com.apple.library-folder public.folder - -
        com.apple.document-type.system-folder public.folder - -
        com.apple.trash-empty public.folder - -
        com.apple.trash-full public.folder - -
        com.apple.sites-folder public.folder - -
        com.apple.groups-folder public.folder - -
        com.apple.servers-folder public.folder - -
        com.apple.desktop-folder public.folder - -
        com.apple.documents-folder public.folder - -
        com.apple.downloads-folder public.folder - -
        com.apple.movie-folder public.folder - -
        com.apple.music-folder public.folder - -
        com.apple.pictures-folder public.folder - -
        com.apple.public-folder public.folder - -
        com.apple.home-folder public.folder - -
        com.apple.developer-folder public.folder - -
        com.apple.users-folder public.folder - -
        com.apple.utilities-folder public.folder - -
        com.apple.network-neighborhood - - -
        com.apple.dot-mac - - -
        com.apple.idisk - - -
        com.apple.user-idisk - - -
        com.apple.package public.directory - -
        com.apple.bundle public.directory - -
        com.apple.generic-bundle com.apple.bundle,com.apple.package bundle -
        com.apple.systempreference.prefpane com.apple.package,com.apple.bundle prefPane -
        com.apple.systempreference.screen-saver com.apple.package,com.apple.bundle saver -
        com.apple.systempreference.screen-slide-saver com.apple.package,com.apple.bundle slideSaver -
        com.apple.menu-extra com.apple.package,com.apple.bundle menu -
        com.apple.localizable-name-bundle com.apple.bundle - -
        com.apple.framework com.apple.bundle framework -
        com.apple.application-bundle com.apple.application,com.apple.localizable-name-bundle,\
        com.apple.package app -
        com.apple.application-file com.apple.application,public.data app -
        com.apple.deprecated-application-file com.apple.application-file - -
        com.apple.flat-rtfd public.data,public.composite-content - -
        com.apple.installer-package com.apple.bundle,com.apple.package pkg -
        com.apple.installer-distribution-package com.apple.bundle,com.apple.package dist,distz -
        com.apple.installer-meta-package com.apple.bundle,com.apple.package mpkg -
        com.apple.intelligentsuggestions.assets com.apple.bundle,com.apple.package suggestionsassets -
        com.apple.rtfd com.apple.package,public.composite-content rtfd -
        com.apple.application-placeholder com.apple.application-bundle placeholder -
        com.apple.service-application com.apple.application-bundle service -
        com.apple.plugin com.apple.bundle,com.apple.package plugin -
        com.apple.xpc-service com.apple.bundle,com.apple.package xpc -
        com.apple.kernel-extension com.apple.bundle,com.apple.package kext -
        com.apple.application-and-system-extension com.apple.xpc-service appex -
        com.apple.pluginkit com.apple.bundle,com.apple.package pluginkit -
        com.apple.webkit-plugin com.apple.plugin webplugin -
        com.apple.metadata-importer com.apple.plugin mdimporter -
        com.apple.quicklook-generator com.apple.plugin qlgenerator -
        com.apple.dashboard-widget com.apple.localizable-name-bundle,com.apple.package wdgt -
        com.apple.driver-extension com.apple.localizable-name-bundle,com.apple.package dext -
        com.apple.system-extension com.apple.localizable-name-bundle,com.apple.package systemextension -
        com.apple.ppp-plug-in com.apple.plugin ppp -
        com.apple.file-system-plug-in com.apple.plugin fs -
        com.apple.data-container public.folder,com.apple.localizable-name-bundle - -
        com.apple.alert - - -
        com.apple.alert-note com.apple.alert - -
        com.apple.alert-caution com.apple.alert - -
        com.apple.alert-stop com.apple.alert - -
        com.apple.webarchive public.data,public.composite-content webarchive application/x-webarchive
        com.apple.localized-pdf-bundle com.apple.localizable-name-bundle,com.apple.package,\
        public.composite-content lpdf -
        com.apple.txn.text-multimedia-data public.data,public.composite-content - -
        com.apple.colorsync-profile public.data icc,icm,pf -
        com.apple.profile-background-color public.data - -
        com.apple.profile-font-and-color public.data - -
        com.apple.color-file public.data clr,ccl -
        com.apple.ink.inktext public.data - -
        com.apple.mobileconfig public.xml mobileconfig,mobile application/x-apple-aspen-config
        com.apple.provisionprofile public.xml provisionprofile -
        com.apple.configprofile public.xml configprofile -
        com.apple.user - - -
        com.apple.guest-user com.apple.user - -
        com.apple.help-document public.data - -
        com.apple.user-group - - -
        com.apple.user-unknown - - -
        com.apple.airdrop - - -
        com.apple.bonjour - - -
        com.apple.notifications - - -
        com.apple.mobileprovision public.data mobileprovision application/x-apple-aspen-mobileprovision
        com.apple.pkpass com.apple.bundle,com.apple.package pkpass application/vnd.apple.pkpass
        com.apple.pkpass-data public.data pkpass -
        com.apple.pkpasses-data public.data pkpasses application/vnd.apple.pkpasses
        com.apple.watchface public.data,public.content watchface -
        com.apple.virtual-machine com.apple.mac - -
        com.apple.device public.device - -
        com.apple.mac public.computer,com.apple.device - -
        com.apple.mac.laptop com.apple.mac - -
        com.apple.macbookpro-13-retina-usbc com.apple.macbookpro - -
        com.apple.macbookpro-13-retina-usbc-silver com.apple.macbookpro-13-retina-usbc - -
        com.apple.macbookpro-13-retina-usbc-space-gray com.apple.macbookpro-13-retina-usbc - -
        com.apple.macbookpro-13-retina-usbc-2017 com.apple.macbookpro-13-retina-usbc - -
        com.apple.macbookpro-13-retina-usbc-silver-2017 com.apple.macbookpro-13-retina-usbc-silver - -
        com.apple.macbookpro-13-retina-usbc-space-gray-2017 com.apple.macbookpro-13-retina-usbc-space-gray - -
        com.apple.macbookpro-13-retina-touchid com.apple.macbookpro - -
        com.apple.macbookpro-13-retina-touchid-silver com.apple.macbookpro-13-retina-touchid - -
        com.apple.macbookpro-13-retina-touchid-space-gray com.apple.macbookpro-13-retina-touchid - -
        com.apple.macbookpro-13-retina-touchid-2017 com.apple.macbookpro-13-retina-touchid - -
        com.apple.macbookpro-13-retina-touchid-silver-2017 com.apple.macbookpro-13-retina-touchid-silver - -
        com.apple.macbookpro-13-retina-touchid-space-gray-2017 \
        com.apple.macbookpro-13-retina-touchid-space-gray - -
        com.apple.macbookpro-13-retina-touchid-2018 com.apple.macbookpro-13-retina-touchid - -
        com.apple.macbookpro-13-retina-touchid-silver-2018 com.apple.macbookpro-13-retina-touchid-silver,\
        com.apple.macbookpro-13-retina-touchid-2018 - -
        com.apple.macbookpro-13-retina-touchid-space-gray-2018 \
        com.apple.macbookpro-13-retina-touchid-space-gray,com.apple.macbookpro-13-retina-touchid-2018 - -
        com.apple.macbookpro-13-retina-usbc-2019 com.apple.macbookpro-13-retina-usbc - -
        com.apple.macbookpro-13-retina-usbc-silver-2019 com.apple.macbookpro-13-retina-usbc-silver,\
        com.apple.macbookpro-13-retina-usbc-2019 - -
        com.apple.macbookpro-13-retina-usbc-space-gray-2019 com.apple.macbookpro-13-retina-usbc-space-gray,\
        com.apple.macbookpro-13-retina-usbc-2019 - -
        com.apple.macbookpro-15-retina-touchid com.apple.macbookpro - -
        com.apple.macbookpro-15-retina-touchid-silver com.apple.macbookpro-15-retina-touchid - -
        com.apple.macbookpro-15-retina-touchid-space-gray com.apple.macbookpro-15-retina-touchid - -
        com.apple.macbookpro-15-retina-touchid-2017 com.apple.macbookpro-15-retina-touchid - -
        com.apple.macbookpro-15-retina-touchid-silver-2017 com.apple.macbookpro-15-retina-touchid-silver - -
        com.apple.macbookpro-15-retina-touchid-space-gray-2017 \
        com.apple.macbookpro-15-retina-touchid-space-gray - -
        com.apple.macbookpro-15-retina-touchid-2018 com.apple.macbookpro-15-retina-touchid - -
        com.apple.macbookpro-15-retina-touchid-silver-2018 com.apple.macbookpro-15-retina-touchid-silver,\
        com.apple.macbookpro-15-retina-touchid-2018 - -
        com.apple.macbookpro-15-retina-touchid-space-gray-2018 \
        com.apple.macbookpro-15-retina-touchid-space-gray,com.apple.macbookpro-15-retina-touchid-2018 - -
        com.apple.macbookpro-15-late-2018 com.apple.macbookpro-15-retina-touchid - -
        com.apple.macbookpro-15-silver-late-2018 com.apple.macbookpro-15-retina-touchid-silver,\
        com.apple.macbookpro-15-late-2018 - -
        com.apple.macbookpro-15-space-gray-late-2018 com.apple.macbookpro-15-retina-touchid-space-gray,\
        com.apple.macbookpro-15-late-2018 - -
        com.apple.mac.tower com.apple.mac - -
        com.apple.mac.rackmount com.apple.mac - -
        com.apple.powerbook com.apple.mac.laptop - -
        com.apple.powerbook-g4-titanium com.apple.powerbook - -
        com.apple.powerbook-g4-12 com.apple.powerbook - -
        com.apple.powerbook-g4-15 com.apple.powerbook - -
        com.apple.powerbook-g4-17 com.apple.powerbook - -
        com.apple.ibook-g4 com.apple.mac.laptop - -
        com.apple.powermac com.apple.mac.tower - -
        com.apple.powermac-g4-quicksilver com.apple.powermac - -
        com.apple.powermac-g4-mirrored-drive-doors com.apple.powermac - -
        com.apple.powermac-g5 com.apple.powermac - -
        com.apple.xserve com.apple.mac.rackmount - -
        com.apple.xserve-g4 com.apple.xserve - -
        com.apple.xserve-g5 com.apple.xserve - -
        com.apple.xserve-xeon com.apple.xserve - -
        com.apple.macmini com.apple.mac - -
        com.apple.macmini-g4 com.apple.macmini - -
        com.apple.macmini-core-duo com.apple.macmini - -
        com.apple.macmini-unibody com.apple.macmini - -
        com.apple.macmini-unibody-no-optical com.apple.macmini - -
        com.apple.macmini-2018 com.apple.macmini - -
        com.apple.emac com.apple.mac - -
        com.apple.imac com.apple.mac - -
        com.apple.imac-g4-15 com.apple.imac - -
        com.apple.imac-g4-17 com.apple.imac - -
        com.apple.imac-g4-20 com.apple.imac - -
        com.apple.imac-g5 com.apple.imac - -
        com.apple.imac-g5-isight com.apple.imac - -
        com.apple.imac-core-duo com.apple.imac - -
        com.apple.imac-core-2-duo com.apple.imac - -
        com.apple.imac-iSight-24 com.apple.imac - -
        com.apple.imac-aluminum-20 com.apple.imac - -
        com.apple.imac-aluminum-24 com.apple.imac - -
        com.apple.imac-unibody-21 com.apple.imac - -
        com.apple.imac-unibody com.apple.imac - -
        com.apple.imac-unibody-21-no-optical com.apple.imac - -
        com.apple.imac-unibody-27-no-optical com.apple.imac - -
        com.apple.imac-15-1 com.apple.imac-unibody-27-no-optical - -
        com.apple.imac-unibody-21-no-optical.mid-2015 com.apple.imac-unibody-21-no-optical - -
        com.apple.imac-unibody-27-no-optical-late-2015 com.apple.imac-unibody-27-no-optical - -
        com.apple.imac-unibody-21-no-optical-2017 com.apple.imac-unibody-21-no-optical - -
        com.apple.imac-unibody-27-no-optical-2017 com.apple.imac-unibody-27-no-optical - -
        com.apple.imac-unibody-21-no-optical-2019 com.apple.imac-unibody-21-no-optical - -
        com.apple.imac-unibody-27-no-optical-2019 com.apple.imac-unibody-27-no-optical - -
        com.apple.imac-unibody-27-no-optical-2020 com.apple.imac-unibody-27-no-optical - -
        com.apple.imacpro-2017 com.apple.imac - -
        com.apple.macbook com.apple.mac.laptop - -
        com.apple.macbook-white com.apple.macbook - -
        com.apple.macbook-black com.apple.macbook - -
        com.apple.macbook-unibody com.apple.macbook - -
        com.apple.macbook-unibody-plastic com.apple.macbook - -
        com.apple.macbook-retina com.apple.macbook - -
        com.apple.macbook-retina-silver com.apple.macbook-retina - -
        com.apple.macbook-retina-gold com.apple.macbook-retina - -
        com.apple.macbook-retina-space-gray com.apple.macbook-retina - -
        com.apple.macbook-retina-rose-gold com.apple.macbook-retina - -
        com.apple.macbook-retina-silver-2017 com.apple.macbook-retina-silver - -
        com.apple.macbook-retina-gold-2017 com.apple.macbook-retina-gold - -
        com.apple.macbook-retina-space-gray-2017 com.apple.macbook-retina-space-gray - -
        com.apple.macbook-retina-rose-gold-2017 com.apple.macbook-retina-rose-gold - -
        com.apple.macbook-retina-gold-2018 com.apple.macbook-retina - -
        com.apple.macbookpro-13-unibody com.apple.macbookpro - -
        com.apple.macbookpro-13-retina-display com.apple.macbookpro - -
        com.apple.macbookpro com.apple.mac.laptop - -
        com.apple.macbookpro-15 com.apple.macbookpro - -
        com.apple.macbookpro-15-unibody com.apple.macbookpro - -
        com.apple.macbookpro-15-retina-display com.apple.macbookpro - -
        com.apple.macbookpro-17-unibody com.apple.macbookpro - -
        com.apple.macbookpro-17 com.apple.macbookpro - -
        com.apple.macbookpro-16 com.apple.macbookpro - -
        com.apple.macbookpro-16-silver com.apple.macbookpro-16 - -
        com.apple.macbookpro-16-space-gray com.apple.macbookpro-16 - -
        com.apple.macbookpro-13-retina-four-usb-ports-2020 com.apple.macbookpro-13-retina-touchid - -
        com.apple.macbookpro-13-retina-four-usb-ports-silver-2020 \
        com.apple.macbookpro-13-retina-touchid-silver,com.apple.macbookpro-13-retina-four-usb-ports-2020 - -
        com.apple.macbookpro-13-retina-four-usb-ports-space-gray-2020 \
        com.apple.macbookpro-13-retina-touchid-space-gray,\
        com.apple.macbookpro-13-retina-four-usb-ports-2020 - -
        com.apple.macbookpro-13-retina-touchid-2020 com.apple.macbookpro-13-retina-touchid - -
        com.apple.macbookpro-13-retina-touchid-silver-2020 com.apple.macbookpro-13-retina-touchid-silver,\
        com.apple.macbookpro-13-retina-touchid-2020 - -
        com.apple.macbookpro-13-retina-touchid-space-gray-2020 \
        com.apple.macbookpro-13-retina-touchid-space-gray,com.apple.macbookpro-13-retina-touchid-2020 - -
        com.apple.macbookpro-16-mid-2020 com.apple.macbookpro-16 - -
        com.apple.macbookpro-16-silver-mid-2020 com.apple.macbookpro-16-silver,\
        com.apple.macbookpro-16-mid-2020 - -
        com.apple.macbookpro-16-space-gray-mid-2020 com.apple.macbookpro-16-space-gray,\
        com.apple.macbookpro-16-mid-2020 - -
        com.apple.macbookair com.apple.mac.laptop - -
        com.apple.macbookair-11-unibody com.apple.macbookair - -
        com.apple.macbookair-13-unibody com.apple.macbookair - -
        com.apple.macbookair-2018 com.apple.macbookair - -
        com.apple.macbookair-2018-silver com.apple.macbookair-2018 - -
        com.apple.macbookair-2018-space-gray com.apple.macbookair-2018 - -
        com.apple.macbookair-2018-gold com.apple.macbookair-2018 - -
        com.apple.macbookair-2019 com.apple.macbookair-2018 - -
        com.apple.macbookair-2019-silver com.apple.macbookair-2018-silver - -
        com.apple.macbookair-2019-space-gray com.apple.macbookair-2018-space-gray - -
        com.apple.macbookair-2019-gold com.apple.macbookair-2018-gold - -
        com.apple.macbookair-2020 com.apple.macbookair-2019 - -
        com.apple.macbookair-2020-silver com.apple.macbookair-2019-silver - -
        com.apple.macbookair-2020-space-gray com.apple.macbookair-2019-space-gray - -
        com.apple.macbookair-2020-gold com.apple.macbookair-2019-gold - -
        com.apple.macpro com.apple.mac - -
        com.apple.macpro-firewire com.apple.macpro,com.apple.mac.tower - -
        com.apple.macpro-cylinder com.apple.macpro,com.apple.mac.tower - -
        com.apple.macpro-2019 com.apple.macpro,com.apple.mac.tower - -
        com.apple.macpro-2019-rackmount com.apple.macpro,com.apple.mac.rackmount - -
        com.apple.macmini-2020 com.apple.macmini - -
        com.apple.macbookair-late-2020 com.apple.macbookair-2020 - -
        com.apple.macbookair-late-2020-silver com.apple.macbookair-2020-silver,\
        com.apple.macbookair-late-2020 - -
        com.apple.macbookair-late-2020-space-gray com.apple.macbookair-2020-space-gray,\
        com.apple.macbookair-late-2020 - -
        com.apple.macbookair-late-2020-gold com.apple.macbookair-2020-gold,com.apple.macbookair-late-2020 - -
        com.apple.macbookpro-13-retina-touchid-late-2020 com.apple.macbookpro-13-retina-touchid-2020 - -
        com.apple.macbookpro-13-retina-touchid-silver-late-2020 \
        com.apple.macbookpro-13-retina-touchid-silver-2020,com.apple.macbookpro-13-retina-touchid-late-2020 \
        - -
        com.apple.macbookpro-13-retina-touchid-space-gray-late-2020 \
        com.apple.macbookpro-13-retina-touchid-space-gray-2020,\
        com.apple.macbookpro-13-retina-touchid-late-2020 - -
        com.apple.imac-2021 com.apple.imac - -
        com.apple.imac-2021-silver com.apple.imac-2021 - -
        com.apple.imac-2021-yellow com.apple.imac-2021 - -
        com.apple.imac-2021-green com.apple.imac-2021 - -
        com.apple.imac-2021-blue com.apple.imac-2021 - -
        com.apple.imac-2021-red com.apple.imac-2021 - -
        com.apple.imac-2021-purple com.apple.imac-2021 - -
        com.apple.imac-2021-orange com.apple.imac-2021 - -
        com.apple.developer-transition-kit-2005 com.apple.mac.tower - -
        com.apple.developer-transition-kit-2020 com.apple.mac - -
        com.apple.ios-device com.apple.device - -
        com.apple.apple-tv com.apple.ios-device - -
        com.apple.homepod com.apple.ios-device,public.speaker - -
        com.apple.ios-simulator com.apple.ios-device - -
        com.apple.iphone com.apple.ios-device - -
        com.apple.iphone-3g com.apple.iphone - -
        com.apple.iphone-3gs com.apple.iphone - -
        com.apple.iphone-4 com.apple.iphone - -
        com.apple.iphone-8 com.apple.iphone - -
        com.apple.iphone-8-2 com.apple.iphone-8 - -
        com.apple.iphone-8-7 com.apple.iphone-8 - -
        com.apple.iphone-8-8 com.apple.iphone-8 - -
        com.apple.iphone-8-plus com.apple.iphone - -
        com.apple.iphone-8-plus-2 com.apple.iphone-8-plus - -
        com.apple.iphone-8-plus-3 com.apple.iphone-8-plus - -
        com.apple.iphone-8-plus-1 com.apple.iphone-8-plus - -
        com.apple.iphone-x com.apple.homebuttonless-iphone - -
        com.apple.iphone-x-1 com.apple.iphone-x - -
        com.apple.iphone-x-2 com.apple.iphone-x - -
        com.apple.legacy-ipod com.apple.device - -
        com.apple.ipod-shuffle com.apple.legacy-ipod - -
        com.apple.ipod-shuffle-gen1 com.apple.ipod-shuffle - -
        com.apple.ipod-shuffle-gen2 com.apple.ipod-shuffle - -
        com.apple.ipod-shuffle-gen3 com.apple.ipod-shuffle - -
        com.apple.ipod-shuffle-gen4 com.apple.ipod-shuffle - -
        com.apple.ipod-nano com.apple.legacy-ipod - -
        com.apple.ipod-mini com.apple.legacy-ipod - -
        com.apple.ipod-classic com.apple.legacy-ipod - -
        com.apple.ipod com.apple.ios-device - -
        com.apple.ipod-touch com.apple.ipod - -
        com.apple.ipod-touch-2 com.apple.ipod - -
        com.apple.ipod-touch-3 com.apple.ipod - -
        com.apple.ipod-touch-4 com.apple.ipod - -
        com.apple.ipad com.apple.ios-device - -
        com.apple.homebuttonless-ipad com.apple.ipad,com.apple.homebuttonless-device - -
        com.apple.homebuttonless-iphone com.apple.iphone,com.apple.homebuttonless-device - -
        com.apple.watch com.apple.ios-device - -
        com.apple.airport-express com.apple.device - -
        com.apple.airport com.apple.device - -
        com.apple.time-capsule com.apple.device - -
        com.apple.airport-extreme-tower com.apple.airport - -
        com.apple.airport-time-capsule-tower com.apple.time-capsule - -
        com.apple.cinema-display public.display - -
        com.apple.led-cinema-display-24 public.display - -
        com.apple.led-cinema-display-27 public.display - -
        com.apple.pro-display-xdr public.display - -
        com.apple.storage-external public.storage - -
        com.apple.generic-time-machine-disk public.storage - -
        com.apple.storage-netboot public.storage - -
        com.apple.file-server public.storage - -
        com.apple.storage-internal public.storage - -
        com.apple.storage-removable public.storage - -
        com.apple.file-vault - - -
        com.apple.generic-airdisk public.storage - -
        com.apple.structured-text public.plain-text - -
        com.apple.structured-text.date com.apple.structured-text - -
        com.apple.structured-text.address com.apple.structured-text - -
        com.apple.structured-text.telephone-number com.apple.structured-text - -
        com.apple.structured-text.transit-information com.apple.structured-text - -
        com.apple.active-webpage - - -
        com.apple.iphone.package-archive public.data,public.archive ipa application/octet-stream
        com.apple.keynote.key com.apple.package,public.presentation - -
        com.apple.keynote.kth com.apple.package,public.presentation - -
        com.apple.iWork.Keynote.key com.apple.package,public.presentation,com.apple.keynote.key key -
        com.apple.iWork.Keynote.key-tef com.apple.package,public.presentation,com.apple.keynote.key key-tef -
        com.apple.iWork.Keynote.sffkey public.data,public.presentation key application/x-iwork-keynote-sffkey
        com.apple.iWork.Keynote.kth com.apple.package,public.presentation,com.apple.keynote.kth kth -
        com.apple.iWork.Keynote.sffkth public.data,public.presentation kth application/x-iwork-keynote-sffkth
        com.apple.iWork.Pages.pages com.apple.package,public.composite-content pages -
        com.apple.iWork.Pages.pages-tef com.apple.package,public.composite-content pages-tef -
        com.apple.iWork.Pages.sffpages public.data,public.composite-content pages \
        application/x-iwork-pages-sffpages
        com.apple.iWork.Pages.template com.apple.package,public.composite-content template -
        com.apple.iWork.Pages.sfftemplate public.data,public.composite-content template \
        application/x-iwork-pages-sfftemplate
        com.apple.iWork.Numbers.numbers com.apple.package,public.composite-content,public.spreadsheet \
        numbers -
        com.apple.iWork.Numbers.numbers-tef com.apple.package,public.composite-content,public.spreadsheet \
        numbers-tef -
        com.apple.iWork.Numbers.sffnumbers public.data,public.composite-content,public.spreadsheet numbers \
        application/x-iwork-numbers-sffnumbers
        com.apple.iWork.Numbers.template com.apple.package,public.composite-content,public.spreadsheet \
        nmbtemplate -
        com.apple.iWork.Numbers.sfftemplate public.data,public.composite-content,public.spreadsheet \
        nmbtemplate application/x-iwork-numbers-sfftemplate
        com.apple.garageband.project com.apple.package,public.audiovisual-content band,gbProj -
        com.apple.drawing public.image drawing -
        com.apple.iMovieLibrary com.apple.package imovielibrary -
        com.apple.iMovieTheater com.apple.package theater -
        com.apple.haptics.ahap public.haptics-content,public.json ahap -
        com.apple.coreml.model public.data mlmodel,mlkitmodel -
        com.apple.coreml.mlpackage com.apple.package mlpackage -
        com.apple.groupactivities.activity public.data groupactivity -
        com.apple.icon-decoration - - -
        com.apple.icon-decoration-position - - -
        com.apple.icon-decoration-position.center com.apple.icon-decoration-position - -
        com.apple.icon-decoration-position.leading-bottom com.apple.icon-decoration-position - -
        com.apple.icon-decoration-position.trailing-bottom com.apple.icon-decoration-position - -
        com.apple.icon-decoration-position.overlay com.apple.icon-decoration-position - -
        com.apple.icon-decoration.badge com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration - -
        com.apple.icon-decoration.emboss com.apple.icon-decoration-position.center,\
        com.apple.icon-decoration - -
        com.apple.icon-decoration.system com.apple.icon-decoration - -
        com.apple.icon-decoration.system.unsupported com.apple.icon-decoration.system - -
        com.apple.icon-decoration.system.caution-alert com.apple.icon-decoration.system - -
        com.apple.icon-decoration.system.alias com.apple.icon-decoration.system - -
        com.apple.icon-decoration.system.new-folder com.apple.icon-decoration.system - -
        com.apple.icon-decoration.badge.locked com.apple.icon-decoration-position.leading-bottom,\
        com.apple.icon-decoration.system - -
        com.apple.icon-decoration.badge.checkmark com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.comments com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.drop-folder com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.heart com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.in-review com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.locked-by-collaborator \
        com.apple.icon-decoration-position.trailing-bottom,com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.locked-by-user com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.pinned com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.private-folder com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.syncing com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.trending com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.icon-decoration.badge.warning com.apple.icon-decoration-position.trailing-bottom,\
        com.apple.icon-decoration.badge - -
        com.apple.document-type public.item - -
        com.apple.document-type.dictionary com.apple.document-type - -
        com.apple.accounts-icon com.apple.document-type - -
        com.apple.legacy.actions-icon com.apple.document-type - -
        com.apple.everyone-icon com.apple.document-type - -
        com.apple.legacy.general-icon com.apple.document-type - -
        com.apple.legacy.sidebar-prefs-icon com.apple.document-type - -
        com.apple.legacy.toolbar-advanced-icon com.apple.document-type - -
        com.apple.legacy.toolbar-info-icon com.apple.document-type - -
        com.apple.legacy.toolbar-labels-icon com.apple.document-type - -
        com.apple.legacy.clock-icon com.apple.document-type - -
        com.apple.legacy.synchronize com.apple.document-type - -
        com.apple.icon-overlay.new-folder-badge com.apple.document-type - -
        com.apple.legacy.finder-icon com.apple.document-type - -
        com.apple.unknown-object com.apple.document-type - -
        com.apple.not-loaded com.apple.document-type - -
        com.apple.legacy.window com.apple.document-type - -
        com.apple.legacy.question-mark com.apple.document-type - -
        com.apple.legacy.eject-media com.apple.document-type - -
        com.apple.legacy.burn com.apple.document-type - -
        com.apple.legacy.customize-toolbar com.apple.document-type - -
        com.apple.legacy.delete-toolbar com.apple.document-type - -
        com.apple.legacy.right-container-arrow com.apple.document-type - -
        com.apple.icon-overlay.drop-folder-badge com.apple.document-type - -
        com.apple.icon-overlay.private-folder-badge com.apple.document-type - -
        com.apple.icon-overlay.private-folder com.apple.document-type - -
        com.apple.legacy.open-folder com.apple.document-type - -
        com.apple.legacy.favorite-items com.apple.document-type - -
        com.apple.legacy.locked com.apple.document-type - -
        com.apple.legacy.unlocked com.apple.document-type - -
        com.apple.legacy.no-write com.apple.document-type - -
        com.apple.legacy.keep-arranged com.apple.document-type - -
        com.apple.legacy.grid com.apple.document-type - -
        com.apple.legacy.connect-to com.apple.document-type - -
        com.apple.legacy.backward-arrow com.apple.document-type - -
        com.apple.legacy.forward-arrow com.apple.document-type - -
        com.apple.icon-overlay.locked-badge com.apple.document-type - -
        com.apple.icon-overlay.alias-badge com.apple.document-type - -
        com.apple.icon-overlay.alert-caution-badge com.apple.document-type - -
        com.apple.icon-overlay.unsupported-badge com.apple.document-type - -
        com.apple.legacy.magnifying-glass com.apple.document-type - -
        com.apple.legacy.erasing com.apple.document-type - -
        com.apple.legacy.multiple-items com.apple.document-type - -
        com.apple.linkpresentation.metadata public.data - -
        """
}
