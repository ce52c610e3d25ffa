import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolders } from '../../core/basics/folders.ts';
import { shareAsLedger } from '../../ledger/drivers/sqlite/file-permissions.ts';

/**
 * The installation's Ed25519 key. It signs manifests, so that genuine reports can be distinguished from forged ones.
 */
export interface SigningKey {
  /** PEM (SPKI). An auditor gets it once, and not together with the reports. */
  publicKey: string;
  /** SHA-256 (hex) of the public key's DER: short enough to compare by eye or on the telephone. */
  fingerprint: string;
  /** The signature, 64 bytes. Ed25519 is deterministic: the same bytes always have the same signature. */
  sign(data: Uint8Array): Uint8Array;
}

/**
 * Opens the key at `path`, and makes it on first use. Everyone who may use the ledger at `ledgerPath` may read it;
 * without a ledger, only its owner.
 */
export async function openSigningKey(path: string, ledgerPath: string | null = null): Promise<SigningKey> {
  const existing = await readOrNull(path);
  return signingKey(createPrivateKey(existing ?? (await makeKey(path, ledgerPath))));
}

async function readOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Two processes may make it at the same time: the key appears completely, and the first one stays. */
async function makeKey(path: string, ledgerPath: string | null): Promise<string> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const making = `${path}.${randomUUID()}`;
  makeFolders(dirname(path));
  const file = await open(making, 'wx', 0o600);
  try {
    await file.writeFile(privateKey.export({ format: 'pem', type: 'pkcs8' }));
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    if (ledgerPath !== null) await shareAsLedger(making, ledgerPath);
    await link(making, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await rm(making);
  }
  return readFile(path, 'utf8');
}

function signingKey(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  return {
    publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    fingerprint: createHash('sha256')
      .update(publicKey.export({ format: 'der', type: 'spki' }))
      .digest('hex'),
    sign: (data) => sign(null, data, privateKey),
  };
}
