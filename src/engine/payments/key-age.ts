import { AirbatchError } from '../../core/basics/errors.ts';
import type { PaymentRecord } from '../../ledger/rows/payments.ts';
import { accountState } from '../../ledger/schema/state-columns.ts';
import type { EngineDeps, Parts } from '../runner/context.ts';

/** A clock correction up to this size does not matter for a key's age: no key is sent in the last hour of its day. */
const correctionMsMax = 10 * 60_000;

/**
 * The time (epoch ms) after which a key's age can be proved. If the clock now shows less than the highest time of an
 * earlier program, it was set back, and the time without a program is unknown. Otherwise every key's age can be proved.
 */
export function keysProvedFrom(wallMs: number, highestSeenMs: number): number {
  return wallMs < highestSeenMs - correctionMsMax ? highestSeenMs : Number.NEGATIVE_INFINITY;
}

/**
 * Since when the account uses its present credentials (epoch ms). The service may remember keys for each API key
 * separately (spec section 4.1, rule 4, does not say). Stored by the program that holds the account.
 */
export async function noteKeyScope(
  { db, gateway: { keyScope }, log }: Pick<EngineDeps, 'db' | 'gateway' | 'log'>,
  account: string,
  now: number,
): Promise<number> {
  if (keyScope === null) return 0;
  const noted = await accountState.keyScope.read(db, account);
  if (noted === keyScope) return (await accountState.keyScopeSince.read(db, account)) ?? 0;
  const since = noted === null ? 0 : now;
  await db.transact(async (tx) => {
    await accountState.keyScope.write(tx, account, keyScope);
    await accountState.keyScopeSince.write(tx, account, since);
  });
  if (since > 0) log.warn('the API key has changed: rows in doubt are looked up, and not sent again', { account });
  return since;
}

/**
 * The first intent of a key (epoch ms), if its age can be proved and the service certainly knows the key. Otherwise a
 * time so long ago that the key is only looked up.
 */
export function firstIntentAt(
  { gateway, keys: { provedFrom, scopeFrom } }: Parts<'gateway' | 'keys'>,
  { first_intent_at, open_attempts }: PaymentRecord,
  now: number,
): number {
  // If every attempt was definitively refused, the key may be sent under any API key.
  const isKnown = first_intent_at >= scopeFrom || open_attempts === 0;
  return first_intent_at > provedFrom && isKnown
    ? first_intent_at
    : Math.min(first_intent_at, now - gateway.policy.resendAgeMsMax);
}

/**
 * Throws `FENCED` if a key has grown too old since its intent. Called right before bytes reach the wire: a machine that
 * slept in between, and renewed its lease when it woke, would otherwise send a key that the service has forgotten.
 */
export function assertYoung({ clock, gateway }: Parts<'clock' | 'gateway'>, { first_intent_at }: PaymentRecord): void {
  if (clock.now() - first_intent_at < gateway.policy.resendAgeMsMax) return;
  throw new AirbatchError('FENCED', 'a request waited until its key was too old to be sent');
}
