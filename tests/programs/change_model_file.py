"""change_model_file.py SOURCE TARGET {KEY OLD NEW}: writes a copy of a model file in which OLD is NEW in the text KEY.

Independent of the program, and with valid checksums, as another version would write the file. An empty OLD stands for
the whole text.
"""

import io
import json
import struct
import sys
import zipfile
import zlib


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def changed(text, old, new):
    if not old:
        return new
    assert old in text, old
    return text.replace(old, new, 1)


def change_safetensors(data, changes):
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8:8 + size])
    metadata = header["__metadata__"]
    for key, old, new in changes:
        metadata[key] = changed(metadata[key], old, new)
    metadata["crc32c"] = "00000000"
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-(8 + len(text)) % 64)
    text = text.replace(b'"crc32c":"00000000"', b'"crc32c":"%08x"' % crc32c(text), 1)
    return struct.pack("<Q", len(text)) + text + data[8 + size:]


def change_zip(data, changes):
    """The pickle of version 0.1 has each text as BINUNICODE: X, the number of bytes and the bytes."""
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old_file, zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as new_file:
        for name in old_file.namelist():
            record = old_file.read(name)
            if name.endswith("data.pkl"):
                for key, old, new in changes:
                    position = record.index(b"X", record.index(key.encode()) + len(key))
                    size, = struct.unpack_from("<I", record, position + 1)
                    begin = position + 5
                    text = changed(record[begin:begin + size].decode(), old, new).encode()
                    record = (record[:position] + b"X" + struct.pack("<I", len(text)) + text + record[begin + size:])
            new_file.writestr(zipfile.ZipInfo(name), record)
    content = output.getvalue()
    return content + b"TRFCRC32" + struct.pack("<II", zlib.crc32(content), 0)


def main():
    source, target, *rest = sys.argv[1:]
    changes = [rest[i:i + 3] for i in range(0, len(rest), 3)]
    with open(source, "rb") as file:
        data = file.read()
    change = change_zip if data.startswith(b"PK") else change_safetensors
    with open(target, "wb") as file:
        file.write(change(data, changes))


main()
