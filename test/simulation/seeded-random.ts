import type { Random } from '../../src/core/basics/random.ts';

/** Randomness that a seed repeats exactly: the only chance there is in the simulation. */
export interface SeededRandom extends Random {
  /** True in so many of a hundred cases. */
  percent(chance: number): boolean;
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** A stream of its own, so that one part's draws do not shift another's. */
  fork(name: string): SeededRandom;
}

/** `splitmix32`: small, fast, and good enough to make plans with. */
export function makeSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state ^ (state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  };
  const random: SeededRandom = {
    fraction: () => next() / 2 ** 32,
    hex: (bytes) => Array.from({ length: bytes }, () => (next() & 0xff).toString(16).padStart(2, '0')).join(''),
    percent: (chance) => random.fraction() * 100 < chance,
    between: (min, max) => min + Math.floor(random.fraction() * (max - min + 1)),
    pick: (items) => items[random.between(0, items.length - 1)] as (typeof items)[number],
    fork(name) {
      let hash = seed ^ 0x811c9dc5;
      for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
      return makeSeededRandom(hash);
    },
  };
  return random;
}
