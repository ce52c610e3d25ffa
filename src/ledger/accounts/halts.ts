import type { Queryable } from '../drivers/database.ts';
import { forgetFact, readFact, writeFact } from '../schema/facts.ts';

const factName = (account: string) => `halted:${account}`;

/** Why nothing is sent from the account before a person has looked; null where nothing speaks against it. */
export function haltOf(db: Queryable, account: string): Promise<string | null> {
  return readFact(db, factName(account));
}

/** Halts the account until a person resumes a batch of it that is paused for that, even if no batch is open now. */
export function noteHalt(tx: Queryable, account: string, why: string): Promise<void> {
  return writeFact(tx, factName(account), why);
}

/** A person has looked. */
export function endHalt(tx: Queryable, account: string): Promise<void> {
  return forgetFact(tx, factName(account));
}
