import type { Clock } from '../core/time/clock.ts';
import type { Database } from './drivers/database.ts';
import { inUnit, type Unit } from './unit-of-work.ts';

/** How a person or a job reaches the program; the audit log records it. */
export type Through = 'cli' | 'console' | 'api' | 'library' | 'serve' | `job:${string}`;

/** The name of the job that acts; null if a person does. */
export function jobOf({ through }: Pick<Actor, 'through'>): string | null {
  return through.startsWith('job:') ? through.slice('job:'.length) : null;
}

/** Who acts, on which ledger, with which clock. The audit log records the person and the door (`through`). */
export interface Actor {
  db: Database;
  clock: Clock;
  /** The person's name, from the operating system or the session. A program that acts by itself has a name as well. */
  person: string;
  through: Through;
  /** The names under which the configuration knows people elsewhere, each with the person whose it is. */
  otherNames?: ReadonlyMap<string, string>;
}

/** Like `inUnit`, in the name of the actor. */
export function inUnitOf<Result>(
  { db, clock, person, through }: Actor,
  work: (unit: Unit) => Promise<Result>,
): Promise<Result> {
  return inUnit(db, { clock, actor: person, through }, work);
}
