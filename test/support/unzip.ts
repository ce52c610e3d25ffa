import { inflateRawSync } from 'node:zlib';

/** The files of a zip archive, by name in their order. For small archives that this program has written. */
export function unzipped(archive: Buffer): Map<string, Buffer> {
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const files = new Map<string, Buffer>();
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const packed = archive.readUInt32LE(at + 20);
    const [name, extra, comment] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset)) as [
      number,
      number,
      number,
    ];
    const local = archive.readUInt32LE(at + 42);
    const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
    const content = archive.subarray(start, start + packed);
    const isStored = archive.readUInt16LE(at + 10) === 0;
    files.set(archive.toString('utf8', at + 46, at + 46 + name), isStored ? content : inflateRawSync(content));
    at += 46 + name + extra + comment;
  }
  return files;
}
