import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** The length of a file and the SHA-256 of its bytes, in hex. Fails with the error of the operating system. */
export async function digestOfFile(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const block of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(block);
    bytes += block.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}
