import { AirbatchError } from '../../core/basics/errors.ts';
import type { Log } from '../../core/text/log.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Gateway } from '../../gateway/contract/gateway.ts';
import type { PaymentRecord } from '../../ledger/rows/payments.ts';
import { checkFence, type Fence } from '../../ledger/schema/lease-table.ts';
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
 * Makes the proof of a runner that starts now. If the clock was set back while no program ran, the ledger cannot show
 * it: the highest time that it has seen is earlier still, above all in a ledger that was restored. The service's own
 * time shows it. A clock that is found behind it at first was so before the runner's start; one that falls behind
 * later stood still while the machine was suspended.
 */
export function makeKeyProof(
  { clock, gateway, log }: { clock: Clock; gateway: Pick<Gateway, 'serviceTime'>; log: Log },
  { provedFrom, scopeFrom }: { provedFrom: number; scopeFrom: number },
): Parts<'keys'>['keys'] {
  const startedAt = clock.now();
  let from = provedFrom;
  let knownBehindMs: number | null = null;
  return {
    scopeFrom,
    provedFrom() {
      const serviceMs = gateway.serviceTime();
      if (serviceMs === null) return from;
      const behindMs = serviceMs - clock.now();
      if (behindMs > (knownBehindMs ?? 0) + correctionMsMax) {
        from = Math.max(from, knownBehindMs === null ? startedAt : clock.now());
        knownBehindMs = behindMs;
        log.warn('the clock of this machine is behind the service’s: earlier rows in doubt are not sent again', {
          behind_s: Math.round(behindMs / 1_000),
        });
      }
      knownBehindMs ??= 0;
      return from;
    },
  };
}

/**
 * Since when the account uses its present credentials (epoch ms). The service may remember keys for each API key
 * separately (spec section 4.1, rule 4, does not say). Stored by the program that holds the account.
 */
export async function noteKeyScope(
  { db, gateway: { keyScope }, log }: Pick<EngineDeps, 'db' | 'gateway' | 'log'>,
  fence: Fence,
  now: number,
): Promise<number> {
  const { account } = fence;
  if (keyScope === null) return 0;
  const noted = await accountState.keyScope.read(db, account);
  if (noted === keyScope) return (await accountState.keyScopeSince.read(db, account)) ?? 0;
  const since = noted === null ? 0 : now;
  await db.transact(async (tx) => {
    await checkFence(tx, fence);
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
  { gateway, keys }: Parts<'gateway' | 'keys'>,
  { first_intent_at, open_attempts }: PaymentRecord,
  now: number,
): number {
  // If every attempt was definitively refused, the key may be sent under any API key.
  const isKnown = first_intent_at >= keys.scopeFrom || open_attempts === 0;
  return first_intent_at > keys.provedFrom() && isKnown
    ? first_intent_at
    : Math.min(first_intent_at, now - gateway.policy.resendAgeMsMax);
}

/**
 * Throws `FENCED` if a key has grown too old since its intent, or may have. Called right before bytes reach the wire: a
 * machine that slept in between, and renewed its lease when it woke, would otherwise send a key that the service has
 * forgotten.
 */
export function assertYoung(
  { clock, gateway, keys }: Parts<'clock' | 'gateway' | 'keys'>,
  { first_intent_at }: PaymentRecord,
): void {
  const isYoung = clock.now() - first_intent_at < gateway.policy.resendAgeMsMax;
  if (isYoung && first_intent_at > keys.provedFrom()) return;
  throw new AirbatchError('FENCED', 'a request waited until its key was too old to be sent');
}
