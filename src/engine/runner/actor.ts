import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../ledger/drivers/database.ts';

/** Who acts, on which ledger, with which clock. */
export interface Actor {
  db: Database;
  clock: Clock;
  /** The person's name, from the operating system or the session. */
  name: string;
}
