// What a presenter is asked is part of NSFilePresenter.
@_exported public import FilePresenting

// How long versions are kept is for apps to say; nothing else of a vault is.
@_exported public import struct Vault.VersionRetention
