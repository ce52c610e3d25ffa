import type { Clock } from '../core/clock.ts';
import type { Database } from '../ledger/database.ts';

/** Who acts, on which ledger, by which clock. */
export interface Actor {
  db: Database;
  clock: Clock;
  /** A person's name, as the operating system or the session gives it. */
  name: string;
}
