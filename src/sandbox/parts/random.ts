import { createHash, randomUUID } from 'node:crypto';

/** The sandbox's source of randomness: seeded if the run must be repeatable, otherwise real. */
export interface SandboxRandom {
  /** A fraction, at least 0 and below 1. */
  fraction(): number;
  uuid(): string;
}

/** `turn` is the number of this start, so that no id of an earlier start comes again. */
export function makeRandom(seed: number | undefined, turn: number): SandboxRandom {
  if (seed === undefined) return { fraction: Math.random, uuid: randomUUID };
  let state = createHash('sha256').update(`${seed}/${turn}`).digest().readUInt32LE(0);
  // Mulberry32: small, fast, and more uniform than needed here.
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const hex = () => next().toString(16).padStart(8, '0');
  return {
    fraction: () => next() / 2 ** 32,
    uuid() {
      const text = hex() + hex() + hex() + hex();
      const variant = ((Number.parseInt(text[16] ?? '0', 16) & 3) | 8).toString(16);
      return [
        text.slice(0, 8),
        text.slice(8, 12),
        `4${text.slice(13, 16)}`,
        variant + text.slice(17, 20),
        text.slice(20),
      ].join('-');
    },
  };
}
