import type { Clock } from '../core/time/clock.ts';
import type { Database } from './drivers/database.ts';
import { inUnit, type Unit } from './unit-of-work.ts';

/** The doors of the program: a person acts through one of them, and so does a job. */
export type Through = 'cli' | 'console' | 'api' | 'library' | 'serve' | `job:${string}`;

/** The job that acts through its own door; null where a person does. */
export function jobOf({ through }: Pick<Actor, 'through'>): string | null {
  return through.startsWith('job:') ? through.slice('job:'.length) : null;
}

/** Who acts, on which ledger, with which clock. The audit log keeps the person and the door. */
export interface Actor {
  db: Database;
  clock: Clock;
  /** The person's name, from the operating system or the session; what acts by itself has a name as well. */
  person: string;
  through: Through;
}

/** As `inUnit`, in the name of whoever acts. */
export function inUnitOf<Result>(
  { db, clock, person, through }: Actor,
  work: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  return inUnit(db, { clock, actor: person, through }, work);
}
