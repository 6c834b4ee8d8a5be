import FileSystem
import Foundation
import HTTPService
import HubProtocol
import Locks
import SQLite

@testable import Hub

/// A folder of its own for one test, removed with it.
final class HubFolder: Sendable {
    let path: FilePath

    init() throws {
        path = FilePath(FileManager.default.temporaryDirectory.appendingPathComponent("hub-\(UUID())").path)
        try FileManager.default.createDirectory(
            atPath: path.string,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path.string)
    }

    func open() throws -> StorageFolder { try StorageFolder(at: path) }
}

extension ContainerName {
    static let test = ContainerName(unchecked: Array(repeating: 7, count: 16))
}

extension BlobName {
    /// A name that says which one it is.
    static func numbered(_ number: Int) -> BlobName {
        BlobName(
            unchecked: Array(repeating: 0, count: 24) + withUnsafeBytes(of: number.bigEndian, Array.init)
        )
    }
}

extension ItemName {
    static func numbered(_ number: Int) -> ItemName {
        ItemName(unchecked: Array(repeating: 0, count: 8) + withUnsafeBytes(of: number.bigEndian, Array.init))
    }
}

extension RecordStore {
    /// Registers a device with a token of this hash, and makes the test's container for it.
    func prepare(token: [UInt8] = [1, 2, 3]) async throws -> HubCaller {
        try await addInvitation(hash: [9] + token, to: .first, by: nil, until: 100)
        let key = PublicKeyBytes(unchecked: Array(repeating: 1, count: 32))
        let device = NewDevice(
            device: DeviceName(unchecked: Array(repeating: token[0], count: 8)),
            tokenHash: token,
            name: "Phone",
            signingKey: key,
            agreementKey: key
        )
        let account = try await register(device, invitationHash: [9] + token, now: 50)
        _ = try await makeContainer(.test, for: account ?? .first)
        return HubCaller(device: device.device, account: account ?? .first)
    }
}

extension RecordStore {
    /// An account's devices, with what nobody in particular is told of them.
    func devices(of account: AccountID) async throws -> [DeviceListing] {
        try await devices(for: HubCaller(device: DeviceName(unchecked: [0]), account: account))
    }
}

extension SQLiteConnection {
    /// Makes of a new `records.db` one of before version 4.
    func goBackToVersion3() throws {
        try execute(
            """
            DROP INDEX devices_of_invitations; ALTER TABLE devices DROP COLUMN invitation;
            DROP INDEX written_keys; DROP INDEX keys_of_writers; DROP INDEX devices_of_accounts;
            DROP INDEX containers_of_accounts; DROP INDEX invitations_of_accounts; DROP INDEX invitation_ends; ALTER TABLE keys DROP COLUMN writer;
            ALTER TABLE keys DROP COLUMN written; ALTER TABLE containers DROP COLUMN removed;
            ALTER TABLE containers DROP COLUMN committed;
            UPDATE accounts SET bytes = bytes - \(RecordSchema.entryByteCount) * (SELECT count(*) FROM entries);
            PRAGMA user_version = 3
            """
        )
    }
}

extension BlobBatch {
    func add(_ name: BlobName, _ bytes: [UInt8]) throws {
        try begin(name, byteCount: bytes.count)
        try bytes.withUnsafeBytes { try append($0) }
    }
}

extension BlobFrameList {
    /// All of them.
    func bytes() -> Data {
        var data = Data(count: byteCount)
        var filled = 0
        data.withUnsafeMutableBytes { buffer in
            while filled < buffer.count {
                // Pieces of an odd size, as the network has them.
                let end = min(buffer.count, filled + 1021)
                let count = source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<end]))
                if count == 0 { break }
                filled += count
            }
        }
        return data.prefix(filled)
    }
}
