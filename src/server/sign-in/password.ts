import { argon2, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Random } from '../../core/basics/random.ts';

/** The parameters that OWASP recommends for argon2id: 19 MiB of memory, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 };
const saltBytes = 16;
const tagBytes = 32;

/** A new password. Length is what makes guessing hard; it need not contain certain characters. */
export const newPassword = z
  .string()
  .min(12, { error: 'must have at least 12 characters' })
  .max(200)
  .refine((text) => new Set(text).size >= 5, { error: 'must have at least 5 different characters' });

/** A password as typed to sign in. */
export const typedPassword = z.string().max(200);

export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** Whether the password is that of the hash. It takes the same time if there is none (null), and is false then. */
  isRight(password: string, hash: string | null): Promise<boolean>;
}

type Argon2 = (password: string, salt: Buffer) => Promise<Buffer>;

const argon2id: Argon2 = (message, nonce) =>
  new Promise((resolve, reject) => {
    argon2('argon2id', { message, nonce, tagLength: tagBytes, ...cost }, (error, tag) =>
      error ? reject(error) : resolve(tag),
    );
  });

/** Hashes passwords. The hash is a text in the usual form: "$argon2id$v=19$m=19456,t=2,p=1$salt$tag". */
export function makePasswordHasher(random: Random, derive: Argon2 = argon2id): PasswordHasher {
  const head = `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}`;
  // The same password typed on two keyboards may have different code points: they count as equal.
  const tagOf = (password: string, salt: Buffer) => derive(password.normalize('NFKC'), salt);
  return {
    async hash(password) {
      const salt = Buffer.from(random.hex(saltBytes), 'hex');
      return [head, base64(salt), base64(await tagOf(password, salt))].join('$');
    },
    async isRight(password, hash) {
      const [salt = '', tag = ''] = hash?.startsWith(`${head}$`) ? hash.slice(head.length + 1).split('$') : [];
      const found = await tagOf(password, salt === '' ? Buffer.alloc(saltBytes) : Buffer.from(salt, 'base64'));
      const expected = Buffer.from(tag, 'base64');
      return expected.length === found.length && timingSafeEqual(expected, found);
    },
  };
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
