import { createCipheriv, createDecipheriv } from 'node:crypto';
import { dirname, join } from 'node:path';
import { makeFirstFile, textOrNull } from '../../core/basics/first-file.ts';
import type { Random } from '../../core/basics/random.ts';
import { shareAsLedger } from '../../ledger/drivers/sqlite/file-permissions.ts';
import { keyFileError } from './session.ts';

const algorithm = 'aes-256-gcm';
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16];
/** What a sealed text begins with. No secret that was stored in the clear does. */
const version = 'v1.';

/** The path of the key that seals secrets in this ledger. A copy of the ledger alone shows none of them. */
export function secretsKeyPath(ledgerPath: string): string {
  return join(dirname(ledgerPath), 'secrets.key');
}

interface KeyPlace {
  ledgerPath: string;
  random: Random;
}

/**
 * Seals a secret for the ledger with AES-256-GCM. The key is made on first use, and is as readable as the ledger.
 * `owner`: whose secret it is; moved to another owner, it cannot be opened. Throws `LEDGER_IO`.
 */
export async function sealText({ ledgerPath, random }: KeyPlace, owner: string, text: string): Promise<string> {
  const path = secretsKeyPath(ledgerPath);
  const key = (await readKey(path)) ?? (await makeKey({ ledgerPath, random }, path));
  const nonce = Buffer.from(random.hex(nonceBytes), 'hex');
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return version + sealed.toString('base64url');
}

export function isSealed(text: string): boolean {
  return text.startsWith(version);
}

/** Opens a sealed text; null if the key is missing or is another one, or if the text was changed. */
export async function openText(
  { ledgerPath }: Pick<KeyPlace, 'ledgerPath'>,
  owner: string,
  text: string,
): Promise<string | null> {
  const key = await readKey(secretsKeyPath(ledgerPath));
  if (key === null || !isSealed(text)) return null;
  const bytes = Buffer.from(text.slice(version.length), 'base64url');
  const [nonce, content, tag] = [
    bytes.subarray(0, nonceBytes),
    bytes.subarray(nonceBytes, -tagBytes),
    bytes.subarray(-tagBytes),
  ];
  try {
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(owner))
      .setAuthTag(tag);
    return decipher.update(content, undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return null;
  }
}

async function readKey(path: string): Promise<Buffer | null> {
  const text = await textOrNull(path).catch(unusable(path));
  const key = text === null ? null : Buffer.from(text.trim(), 'hex');
  if (key === null || key.length === keyBytes) return key;
  return unusable(path)(new Error(`it is not a key of ${keyBytes} bytes in hexadecimal`));
}

function makeKey({ ledgerPath, random }: KeyPlace, path: string): Promise<Buffer> {
  const making = makeFirstFile(path, `${random.hex(keyBytes)}\n`, (made) => shareAsLedger(made, ledgerPath));
  return making.then((text) => Buffer.from(text.trim(), 'hex'), unusable(path));
}

function unusable(path: string): (error: unknown) => never {
  return (error) => {
    throw keyFileError(`the key that seals secrets, ${path}`, error);
  };
}
