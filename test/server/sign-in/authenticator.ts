import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Bytes of a value as CBOR, as far as authenticators write it. */
function cbor(value: number | string | Buffer | Map<number | string, unknown>): Buffer {
  // As short as possible: the library encodes it again to see how long it was.
  const head = (type: number, length: number) =>
    length < 24
      ? Buffer.from([(type << 5) | length])
      : length < 256
        ? Buffer.from([(type << 5) | 24, length])
        : Buffer.from([(type << 5) | 25, length >> 8, length & 255]);
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const parts = [...value].flatMap(([key, one]) => [cbor(key), cbor(one as number)]);
  return Buffer.concat([head(5, value.size), ...parts]);
}

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest();

/** A passkey in software, which signs whatever it is asked to, at any origin: the server has to look at that. */
export function makeAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(16);
  let counter = 0;

  const clientData = (type: string, challenge: string, origin: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  // Flags: the person was there (1) and was recognised (4); 64: with the key.
  const authData = (rpId: string, flags: number, more: Buffer = Buffer.alloc(0)) => {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, more]);
  };
  const shown = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' };
  const extensions = { clientExtensionResults: {} };

  return {
    /** Makes the passkey. */
    create({ challenge }: { challenge: string }, origin: string, rpId = new URL(origin).hostname) {
      const key = new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]);
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(key)]);
      const object = new Map<string, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData(rpId, 1 | 4 | 64, attested)],
      ]);
      const response = {
        clientDataJSON: clientData('webauthn.create', challenge, origin).toString('base64url'),
        attestationObject: cbor(object).toString('base64url'),
        transports: ['internal'],
      };
      return { ...shown, ...extensions, response };
    },
    /** Answers a challenge. `flags`: without 4, the person was not recognised. */
    get({ challenge }: { challenge: string }, origin: string, { flags = 1 | 4, rpId = new URL(origin).hostname } = {}) {
      counter += 1;
      const data = clientData('webauthn.get', challenge, origin);
      const authenticatorData = authData(rpId, flags);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(data)]), privateKey);
      const response = {
        clientDataJSON: data.toString('base64url'),
        authenticatorData: authenticatorData.toString('base64url'),
        signature: signature.toString('base64url'),
      };
      return { ...shown, ...extensions, response };
    },
    /** As if the authenticator had been copied before its last uses. */
    setCounter: (count: number) => {
      counter = count;
    },
  };
}
