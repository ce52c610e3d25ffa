import type { Store } from './store.ts';

/** Counts what happens to a number only so many times, by name: a cut connection, a 503, a passing refusal. */
export interface Strikes {
  /** True where it has struck `times` already; else it strikes now. Without `times` it never ends. */
  isOver(name: string, phoneNumber: string, times: number | undefined): boolean;
}

export function makeStrikes(store: Store): Strikes {
  return {
    isOver(name, phoneNumber, times) {
      if (times === undefined) return false;
      const known = store.one<{ count: number }>(
        'SELECT count FROM strikes WHERE name = ? AND phone_number = ?',
        name,
        phoneNumber,
      );
      if (known && known.count >= times) return true;
      if (known)
        store.run('UPDATE strikes SET count = count + 1 WHERE name = ? AND phone_number = ?', name, phoneNumber);
      else store.insert('strikes', { name, phone_number: phoneNumber, count: 1 });
      return false;
    },
  };
}
