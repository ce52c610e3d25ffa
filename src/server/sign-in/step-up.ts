import { sha256 } from '../../core/identity/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import { stepUpAt } from '../../ledger/access/user-sessions.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { Refused } from '../base/problem.ts';

/** For how long a proof of the second factor counts (ms). */
export const stepUpMsMax = 5 * 60_000;

/**
 * What a second factor is proved for. `operation`: whatever is done with that operation. `batch`: the same in one
 * batch. `input`: exactly this request, so that a proof for one batch, or for what it was then, counts for no other.
 */
export type StepUp = 'operation' | 'batch' | 'input';

export function purposeOf(stepUp: StepUp, operation: string, input: unknown): string {
  if (stepUp === 'operation') return operation;
  const { batch_id } = Object(input) as { batch_id?: unknown };
  return `${operation} ${sha256(JSON.stringify((stepUp === 'batch' ? batch_id : input) ?? null))}`;
}

/** Throws `STEP_UP_NEEDED` unless the session has proved its second factor for this purpose a short while ago. */
export async function requireStepUp(
  { db, clock }: { db: Database; clock: Clock },
  { session_id }: { session_id: string },
  purpose: string,
): Promise<void> {
  const at = await stepUpAt(db, session_id, purpose);
  const age = clock.now() - (at ?? 0);
  if (at !== null && age >= 0 && age < stepUpMsMax) return;
  throw new Refused('STEP_UP_NEEDED', 'This needs a second factor: a fresh code, or a passkey.', {
    hint: 'Prove your second factor for this purpose, and send the request again. If you have none, add one first.',
    purpose,
  });
}
