import { randomBytes } from 'node:crypto';

/** The only source of randomness (jitter, batch ids). A seeded one makes a run repeatable. */
export interface Random {
  /** A number from 0 (included) to 1 (excluded). */
  fraction(): number;
  /** `bytes` random bytes as lower-case hex. */
  hex(bytes: number): string;
}

/** Randomness from the operating system. */
export const systemRandom: Random = {
  fraction: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
  hex: (bytes) => randomBytes(bytes).toString('hex'),
};

/** `ms` plus or minus up to a fifth, so that waits that began together do not end together. */
export function withJitter(ms: number, random: Random): number {
  return Math.round(ms * (0.8 + 0.4 * random.fraction()));
}
