import { createCipheriv, createDecipheriv, createHmac, scrypt } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import type { Random } from '../../core/basics/random.ts';

const algorithm = 'aes-256-gcm';
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16];
/** About half a second and 128 MiB for each guess (OWASP's recommendation for scrypt). */
const cost = { N: 2 ** 17, r: 8, p: 1, maxmem: 192 * 2 ** 20 };

/** The keys of one backup, derived from its passphrase and its own salt. */
export interface BackupKeys {
  seal: Buffer;
  mac: Buffer;
}

export async function deriveKeys(passphrase: string, saltHex: string): Promise<BackupKeys> {
  const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt);
  const bytes = await derive(passphrase, Buffer.from(saltHex, 'hex'), 2 * keyBytes, cost);
  return { seal: bytes.subarray(0, keyBytes), mac: bytes.subarray(keyBytes) };
}

export function macOf({ mac }: BackupKeys, text: string): string {
  return createHmac('sha256', mac).update(text).digest('hex');
}

/** A file that is encrypted or decrypted: its paths before and after, and its name in the backup. */
interface Sealing {
  from: string;
  to: string;
  name: string;
}

/** Encrypts a file: nonce, content, tag. Bound to its name, so that no file of the backup stands for another. */
export async function sealFile({ seal }: BackupKeys, { from, to, name }: Sealing, random: Random): Promise<void> {
  const nonce = Buffer.from(random.hex(nonceBytes), 'hex');
  const cipher = createCipheriv(algorithm, seal, nonce).setAAD(Buffer.from(name));
  await pipeline(
    createReadStream(from),
    async function* (source: AsyncIterable<Buffer>) {
      yield nonce;
      for await (const chunk of source) yield cipher.update(chunk);
      yield cipher.final();
      yield cipher.getAuthTag();
    },
    newFile(to),
  );
}

/** Decrypts a file. Throws if it was changed, or if the passphrase is another; then `to` must not be used. */
export async function openFile({ seal }: BackupKeys, { from, to, name }: Sealing): Promise<void> {
  const file = await open(from);
  try {
    const { size } = await file.stat();
    const [nonce, tag] = [Buffer.alloc(nonceBytes), Buffer.alloc(tagBytes)];
    await file.read(nonce, 0, nonceBytes, 0);
    await file.read(tag, 0, tagBytes, Math.max(0, size - tagBytes));
    const decipher = createDecipheriv(algorithm, seal, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(name))
      .setAuthTag(tag);
    const end = size - tagBytes - 1;
    const content = end < nonceBytes ? [] : createReadStream(from, { start: nonceBytes, end });
    await pipeline(content, decipher, newFile(to));
  } finally {
    await file.close();
  }
}

/** Copies a file. Everything in a backup is readable only by its owner. */
export async function copyPrivately(from: string, to: string): Promise<void> {
  await pipeline(createReadStream(from), newFile(to));
}

function newFile(path: string) {
  return createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
}
