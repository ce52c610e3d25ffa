import type { Store } from './store.ts';

/** Counts faults that happen to a number only a few times, by name: a cut connection, a 503, a temporary refusal. */
export interface Strikes {
  /** True if the fault has happened `times` times; otherwise counts one more. Without `times` it always happens. */
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
