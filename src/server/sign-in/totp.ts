import { Secret, TOTP } from 'otpauth';
import type { Random } from '../../core/basics/random.ts';
import type { Clock } from '../../core/time/clock.ts';
import { findTotp, proposeTotp, useTotpStep } from '../../ledger/access/second-factors.ts';
import type { Database } from '../../ledger/drivers/database.ts';

const periodMs = 30_000;
const secretBytes = 20;

function totpOf(name: string, secret: string): TOTP {
  return new TOTP({ issuer: 'airbatch', label: name, secret: Secret.fromBase32(secret) });
}

/** Makes a secret, which counts once a code confirms it. Null if the person has a confirmed one. */
export async function newTotp(
  { db, random }: { db: Database; random: Random },
  name: string,
): Promise<{ secret: string; uri: string } | null> {
  const secret = Secret.fromHex(random.hex(secretBytes)).base32;
  return (await proposeTotp(db, name, secret)) ? { secret, uri: totpOf(name, secret).toString() } : null;
}

/**
 * Whether the code is one of now, or of the period before or after: clocks of telephones differ. Each code counts once.
 * `isNew`: whether a secret that is not confirmed yet is meant.
 */
export async function isCode(
  { db, clock }: { db: Database; clock: Clock },
  { name, code, isNew }: { name: string; code: string; isNew: boolean },
): Promise<boolean> {
  const totp = await findTotp(db, name);
  if (totp === null || (totp.confirmed_at === null) !== isNew) return false;
  const now = clock.now();
  const delta = totpOf(name, totp.secret).validate({ token: code, timestamp: now, window: 1 });
  return delta !== null && useTotpStep(db, totp, Math.floor(now / periodMs) + delta);
}
