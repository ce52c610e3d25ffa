import { AirbatchError } from '../../core/basics/errors.ts';
import type { PaymentRecord } from '../../ledger/rows/payments.ts';
import { readFact, writeFact } from '../../ledger/schema/facts.ts';
import type { EngineDeps, Parts } from '../runner/context.ts';

/**
 * A clock that was corrected by no more than this takes too little from a key's age to matter: it is not sent for the
 * last hour of its day.
 */
const correctionMsMax = 10 * 60_000;

/**
 * Since when keys have an age that can be proved (epoch ms): a clock that has stepped back, behind the highest time of
 * an earlier program, does not tell how long nobody worked. Before every time where it has not.
 */
export function keysProvedFrom(wallMs: number, highestSeenMs: number): number {
  return wallMs < highestSeenMs - correctionMsMax ? highestSeenMs : Number.NEGATIVE_INFINITY;
}

/**
 * Since when the account is asked with the credentials that it has now (epoch ms), as far as the service may remember
 * keys for each of them alone (spec section 4.1, rule 4, does not say). They are noted here, by the one who holds the
 * account.
 */
export async function noteKeyScope(
  { db, gateway: { keyScope }, log }: Pick<EngineDeps, 'db' | 'gateway' | 'log'>,
  account: string,
  now: number,
): Promise<number> {
  if (keyScope === null) return 0;
  const name = `key_scope:${account}`;
  const [noted, from = '0'] = (await readFact(db, name))?.split(' ') ?? [];
  if (noted === keyScope) return Number(from);
  const since = noted === undefined ? 0 : now;
  await db.transact((tx) => writeFact(tx, name, `${keyScope} ${since}`));
  if (since > 0) log.warn('the API key has changed: what was in doubt is looked up, and not sent again', { account });
  return since;
}

/**
 * When a key was first intended to be sent (epoch ms), as far as that can be proved, and the service can be held to
 * know it: else so long ago that it is only looked up.
 */
export function firstIntentAt(
  { gateway, keysProvedFrom: provedFrom, keyScopeFrom }: Parts<'gateway' | 'keyScopeFrom' | 'keysProvedFrom'>,
  { first_intent_at, open_attempts }: PaymentRecord,
  now: number,
): number {
  // What every attempt was refused for sure may be sent under any API key.
  const isKnown = first_intent_at >= keyScopeFrom || open_attempts === 0;
  return first_intent_at > provedFrom && isKnown
    ? first_intent_at
    : Math.min(first_intent_at, now - gateway.policy.resendAgeMsMax);
}

/**
 * Throws `FENCED` where a key has grown too old since its intent: called right before bytes reach the wire. A machine
 * that slept in between, and renewed its lease when it woke, would send under a key that the service has forgotten.
 */
export function assertYoung({ clock, gateway }: Parts<'clock' | 'gateway'>, { first_intent_at }: PaymentRecord): void {
  if (clock.now() - first_intent_at < gateway.policy.resendAgeMsMax) return;
  throw new AirbatchError('FENCED', 'a request stood still until its key was too old to be sent');
}
