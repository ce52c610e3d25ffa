import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { makeFirstFile, textOrNull } from '../../core/basics/first-file.ts';
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
  return signingKey(createPrivateKey((await textOrNull(path)) ?? (await makeKey(path, ledgerPath))));
}

function makeKey(path: string, ledgerPath: string | null): Promise<string> {
  const { privateKey } = generateKeyPairSync('ed25519');
  const text = privateKey.export({ format: 'pem', type: 'pkcs8' });
  return makeFirstFile(path, text, async (made) => {
    if (ledgerPath !== null) await shareAsLedger(made, ledgerPath);
  });
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
