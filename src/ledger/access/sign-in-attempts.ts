import type { Database } from '../drivers/database.ts';
import { saveRecord } from '../drivers/write.ts';

/** The kind of attempt, and the person or the address. */
export interface Attempted {
  kind: 'password' | 'code' | 'address';
  subject: string;
}

interface AttemptRecord {
  attempts: number;
  last_at: number;
  wait_until: number;
}

/** The waits between attempts: see `server/sign-in/throttle.ts`. */
export interface AttemptRules {
  /** How long to wait after this many attempts without success (ms). */
  waitMs: (attempts: number) => number;
  /** Attempts are forgotten after this time without another (ms). */
  forgottenAfterMs: number;
}

/**
 * Counts an attempt before it is judged, so that guesses at the same time do not pass each other. Returns 0; or, if a
 * wait is imposed, the time at which it ends (epoch ms), and counts nothing.
 */
export function beginAttempt(
  db: Database,
  { kind, subject }: Attempted,
  { waitMs, forgottenAfterMs }: AttemptRules,
  now: number,
): Promise<number> {
  return db.transact(async (tx) => {
    const [known] = await tx.query<AttemptRecord>(
      'SELECT attempts, last_at, wait_until FROM sign_in_attempts WHERE kind = ? AND subject = ?',
      [kind, subject],
    );
    if (known !== undefined && known.wait_until > now) return known.wait_until;
    const isForgotten = known === undefined || known.last_at + forgottenAfterMs <= now;
    const attempts = (isForgotten ? 0 : known.attempts) + 1;
    const counted = { kind, subject, attempts, last_at: now, wait_until: now + waitMs(attempts) };
    await saveRecord(tx, 'sign_in_attempts', ['kind', 'subject'], counted);
    // Unknown names would fill the table.
    await tx.execute('DELETE FROM sign_in_attempts WHERE last_at <= ?', [now - forgottenAfterMs]);
    return 0;
  });
}

/**
 * An attempt has succeeded: the earlier ones of this person are forgotten. From an address, only this one is: somebody
 * who guesses there may have an account of their own.
 */
export async function succeedAttempt(db: Database, { kind, subject }: Attempted): Promise<void> {
  const change =
    kind === 'address'
      ? 'UPDATE sign_in_attempts SET attempts = attempts - 1, wait_until = 0 WHERE kind = ? AND subject = ?'
      : 'DELETE FROM sign_in_attempts WHERE kind = ? AND subject = ?';
  await db.transact((tx) => tx.execute(change, [kind, subject]));
}
