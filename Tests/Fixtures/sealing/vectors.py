#!/usr/bin/env python3
"""Sealing once more, from Docs/formats/sealing.md alone, to make the vectors that the Swift tests are held to.

    python3 Tests/Fixtures/sealing/vectors.py > Tests/SealingTests/vectors.json

Needs the package `cryptography`. Shares no code with Sources/Sealing.
"""

import hashlib
import hmac
import json
import pathlib
import re
import struct

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def u8(n): return struct.pack(">B", n)
def u16(n): return struct.pack(">H", n)
def u32(n): return struct.pack(">I", n)
def u64(n): return struct.pack(">Q", n)
def text(s): return u16(len(s.encode())) + s.encode()
def sized(b): return u32(len(b)) + b
def code(key, message): return hmac.new(key, message, hashlib.sha256).digest()
def digest(message): return hashlib.sha256(message).digest()
def fixed(label, count): return (digest(label.encode()) * 4)[:count]


def derive(secret, salt, info, count=32):
    prk, out, block, number = code(salt or b"\0", secret), b"", b"", 0
    while len(out) < count:
        number += 1
        block = code(prk, block + info + u8(number))
        out += block
    return out[:count]


def seal(key, plain, bound): return AESGCM(key).encrypt(bytes(12), plain, bound)


class Device:
    def __init__(self, seed, secret):
        self.seed, self.secret = seed, secret
        self.signer = Ed25519PrivateKey.from_private_bytes(seed)
        self.agreer = X25519PrivateKey.from_private_bytes(secret)
        self.signing = self.signer.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.agreement = self.agreer.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.id = digest(b"sheaf device 1" + self.signing + self.agreement)[:8]

    def public(self, name): return self.signing + self.agreement + text(name)


# Statements about devices.

def statement(container, number, previous, author, change):
    message = u8(1) + container + u32(number) + previous + author.id + change
    return message + author.signer.sign(b"sheaf devices 1" + message)


def added(device, name): return u8(1) + device.public(name)
def revoked(device, generation, check): return u8(2) + device.id + u32(generation) + check
def statement_hash(bytes_): return digest(b"sheaf devices 1" + bytes_)


# Keys.

def encode_keys(container, anchor, naming, keys):
    out = u8(1) + container + anchor + naming + u16(len(keys))
    return out + b"".join(u32(generation) + key for generation, key in keys)


def schedule(container, key):
    salt = b"sheaf sealing 1" + container
    return derive(key, salt, b"blobs"), derive(key, salt, b"records"), derive(key, salt, b"check", 16)


def naming_schedule(container, naming):
    salt = b"sheaf sealing 1" + container
    return derive(naming, salt, b"addresses"), derive(naming, salt, b"salts")


def box(plain, receiver, bound, ephemeral):
    own = X25519PrivateKey.from_private_bytes(ephemeral)
    public = own.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    secret = own.exchange(X25519PublicKey.from_public_bytes(receiver))
    return public, seal(derive(secret, public + receiver, b"sheaf box 1"), plain, bound)


def wrap(container, plain, receiver, sender, ephemeral):
    bound = b"sheaf keys 1" + container + sender.id + receiver.id
    public, sealed = box(plain, receiver.agreement, bound, ephemeral)
    signature = sender.signer.sign(bound + public + sealed)
    return u8(1) + container + sender.id + receiver.id + public + signature + sealed


# Blobs.

def seal_blob(blobs, salts, generation, kind, name, encoding, plain_count, stored):
    salt = code(salts, u8(encoding) + name + (stored if encoding else b""))[:16]
    head = u8(1) + u32(generation) + salt
    key = code(blobs, u8(kind) + name + salt + b"\1")
    return head + seal(key, u8(encoding) + u32(plain_count) + stored, head)


# Records.

def tree(leaves):
    """The root, and of each leaf the way there."""
    paths = [b""] * len(leaves)
    counts = [0] * len(leaves)
    level = [(leaf, [i]) for i, leaf in enumerate(leaves)]
    while len(level) > 1:
        following = []
        for i in range(0, len(level) - 1, 2):
            (left, below), (right, beside) = level[i], level[i + 1]
            for leaf in below:
                paths[leaf] += u8(1) + right
                counts[leaf] += 1
            for leaf in beside:
                paths[leaf] += u8(0) + left
                counts[leaf] += 1
            following.append((digest(b"\1" + left + right), below + beside))
        if len(level) % 2:
            following.append(level[-1])
        level = following
    return level[0][0], [u8(count) + path for count, path in zip(counts, paths)]


def seal_records(container, records_key, generation, author, drafts, salts):
    bounds = [container + item + u64(base) + text(id_) for item, base, id_, _ in drafts]
    leaves = [digest(b"\0sheaf record 1" + bound + draft[3]) for bound, draft in zip(bounds, drafts)]
    root, paths = tree(leaves)
    signature = author.signer.sign(b"sheaf records 1" + root)
    sealed = []
    for draft, bound, path, salt in zip(drafts, bounds, paths, salts):
        head = u8(1) + u32(generation) + salt
        key = code(records_key, salt + b"\1")
        sealed.append(head + seal(key, signature + path + draft[3], head + bound))
    return sealed


def body(what, seen, rest=b"", extra=b""): return u8(1) + u8(what) + seen + rest + sized(extra)


def state(parent, name, content, conflicts):
    out = parent + text(name) + (u8(1) + text(content) if content is not None else u8(0)) + u16(len(conflicts))
    return out + b"".join(text(one) for one in sorted(conflicts, key=str.encode))


def chain(previous, position, item, base, id_, record):
    return digest(previous + u64(position) + item + u64(base) + text(id_) + sized(record))


# Recovery.

def times(left, right):
    product = 0
    for bit in range(5):
        if right >> bit & 1:
            product ^= left << bit
    for bit in range(9, 4, -1):
        if product >> bit & 1:
            product ^= 0b100101 << bit - 5
    return product


def paper(key):
    check = derive(key, b"sheaf recovery 1", b"recovery check", 1)[0] & 15
    number = int.from_bytes(key, "big") << 4 | check
    data = [number >> 5 * i & 31 for i in reversed(range(52))]
    groups = []
    for place in range(13):
        four = data[4 * place:4 * place + 4]
        total, factor = place, 1
        for one in four:
            factor = times(factor, 2)
            total ^= times(one, factor)
        groups.append("".join(SIGNS[one] for one in four + [total]))
    return groups


def kit(container, plain, key, salt):
    head = u8(1) + container + salt
    kit_key = derive(derive(key, b"sheaf recovery 1", b"kit"), salt, b"kit")
    return head + seal(kit_key, plain, b"sheaf kit 1" + head)


# Pairing.

def words():
    source = pathlib.Path(__file__).parents[3] / "Sources/Sealing/Pairing/PhraseWords.swift"
    return re.search(r'"""(.*?)"""', source.read_text(), re.S)[1].split()


def pairing(keys, joining, adding):
    signs = [SIGNS.index(sign) for sign in "7K3M9QXD"] + [1, 2, 3]
    total, factor = 0, 1
    for one in signs:
        factor = times(factor, 2)
        total ^= times(one, factor)
    shown = "".join(SIGNS[one] for one in signs + [total])
    secrets = {side: (fixed(f"{side} key", 32), fixed(f"{side} nonce", 32)) for side in ("first", "second")}
    keypairs = {side: X25519PrivateKey.from_private_bytes(secret) for side, (secret, _) in secrets.items()}
    public = {side: pair.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw) for side, pair in keypairs.items()}
    share = {side: public[side] + secrets[side][1] for side in secrets}
    said = digest(b"sheaf pairing 1" + bytes(signs) + share["first"] + share["second"])
    agreed = keypairs["first"].exchange(X25519PublicKey.from_public_bytes(public["second"]))
    make = lambda info, count=32: derive(agreed, said, info.encode(), count)
    sealed = lambda step, name, plain: u8(1) + u8(step) + seal(make(name), plain, u8(1) + u8(step))
    return {
        "code": "-".join(shown[i:i + 4] for i in (0, 4, 8)), "secret": bytes(signs[8:]).hex(),
        "first": [part.hex() for part in secrets["first"]], "second": [part.hex() for part in secrets["second"]],
        "phrase": [words()[byte] for byte in make("phrase", 4)],
        "messages": [message.hex() for message in (
            u8(1) + u8(1) + digest(b"sheaf pairing 1" + share["second"]),
            u8(1) + u8(2) + share["first"],
            u8(1) + u8(3) + share["second"] + make("confirmation"),
            sealed(4, "introduction", joining.public("Pad 📒")),
            sealed(5, "gift", text("come in") + u32(2) + statement_hash(adding) + sized(keys)),
            sealed(6, "receipt", b""),
        )],
    }


def main():
    container = bytes(range(16))
    phone = Device(fixed("phone signing", 32), fixed("phone agreement", 32))
    pad = Device(fixed("pad signing", 32), fixed("pad agreement", 32))
    founding = statement(container, 1, bytes(32), phone, added(phone, "phone"))
    anchor = statement_hash(founding)
    adding = statement(container, 2, anchor, phone, added(pad, "Pad 📒"))
    naming, first, second = fixed("naming", 32), fixed("key 1", 32), fixed("key 2", 32)
    keys = encode_keys(container, anchor, naming, [(1, first), (2, second)])
    one, two = schedule(container, first), schedule(container, second)
    addresses, salts = naming_schedule(container, naming)
    revoking = statement(container, 3, statement_hash(adding), phone, revoked(pad, 2, two[2]))

    blobs = []
    for kind, encoding, plain_count, stored in [
        (1, 0, 0, b""), (1, 0, 20, b"The sea, the sea, th"), (3, 1, 1000, fixed("pressed", 100)),
    ]:
        name = fixed(f"name {kind} {plain_count}", 32)
        blobs.append({
            "kind": kind, "encoding": encoding, "plainByteCount": plain_count, "stored": stored.hex(),
            "name": name.hex(), "address": code(addresses, name).hex(),
            "sealed": seal_blob(two[0], salts, 2, kind, name, encoding, plain_count, stored).hex(),
        })

    start = digest(b"sheaf log 1" + container)
    devices, root = bytes(15) + b"\1", bytes(16)
    folder, letter = fixed("folder", 16), fixed("letter", 16)
    seen = u64(0) + start
    ids = [f"{phone.id.hex()}.{session:016x}.{number:x}" for session, number in [(1, 0), (1, 1), (1, 16), (2, 255), (2, 256)]]
    drafts = [
        (devices, 0, ids[0], body(3, seen, sized(founding))),
        (folder, 0, ids[1], body(1, seen, state(root, "Ferien 🌊", None, []))),
        (letter, 0, ids[2], body(2, seen, state(folder, "Brief.txt", "aa11", ["cc33", "bb22"]), b"later")),
        (letter, 3, ids[3], body(0, seen)),
        # Longer than any name of a file's contents: a link's digits tell what it says.
        (fixed("link", 16), 0, ids[4], body(2, seen, state(root, "Verweis", "ab" * 4200, []))),
    ]
    record_salts = [fixed(f"salt {i}", 24) for i in range(5)]
    sealed = seal_records(container, one[1], 1, phone, drafts[:3], record_salts[:3])
    for i in (3, 4):
        sealed += seal_records(container, one[1], 1, phone, [drafts[i]], [record_salts[i]])
    log, hash_ = [], start
    for position, ((item, base, id_, plain), record) in enumerate(zip(drafts, sealed), 1):
        hash_ = chain(hash_, position, item, base, id_, record)
        log.append({
            "position": position, "item": item.hex(), "base": base, "id": id_, "body": plain.hex(),
            "record": record.hex(), "hash": hash_.hex(),
        })

    paper_key = fixed("paper", 32)
    print(json.dumps({
        "container": container.hex(),
        "phone": {"encoded": (u8(1) + phone.seed + phone.secret).hex(), "id": phone.id.hex()},
        "pad": {"encoded": (u8(1) + pad.seed + pad.secret).hex(), "id": pad.id.hex()},
        "founding": founding.hex(), "adding": adding.hex(), "revoking": revoking.hex(),
        "anchor": anchor.hex(),
        "keys": keys.hex(),
        "checks": [one[2].hex(), two[2].hex()],
        "blobs": blobs,
        "recordSalts": [salt.hex() for salt in record_salts],
        "log": log,
        "wrapping": {
            "ephemeral": fixed("ephemeral", 32).hex(),
            "wrapped": wrap(container, keys, pad, phone, fixed("ephemeral", 32)).hex(),
        },
        "recovery": {
            "key": paper_key.hex(), "groups": paper(paper_key), "salt": fixed("kit", 24).hex(),
            "kit": kit(container, keys, paper_key, fixed("kit", 24)).hex(),
            "identity": Device(
                derive(paper_key, b"sheaf recovery 1", b"signing"),
                derive(paper_key, b"sheaf recovery 1", b"agreement")).id.hex(),
        },
        "pairing": pairing(keys, pad, adding),
    }, indent=1, ensure_ascii=False))


main()
