// How long versions are kept is for apps to say; nothing else of a vault is.
@_exported public import struct Vault.VersionRetention
