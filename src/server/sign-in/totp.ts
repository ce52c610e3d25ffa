import { Secret, TOTP } from 'otpauth';
import { findTotp, listTotp, proposeTotp, replaceTotpSecret, useTotpStep } from '../../ledger/access/second-factors.ts';
import { isSealed, openText, sealText } from '../../runtime/session/sealed-text.ts';
import type { Session } from '../../runtime/session/session.ts';
import { Refused } from '../base/problem.ts';
import { attempt } from './throttle.ts';

const periodMs = 30_000;
const secretBytes = 20;

function totpOf(name: string, secret: string): TOTP {
  return new TOTP({ issuer: 'airbatch', label: name, secret: Secret.fromBase32(secret) });
}

/** Makes a secret, which counts once a code confirms it. Null if the person has a confirmed one. */
export async function newTotp(session: Session, name: string): Promise<{ secret: string; uri: string } | null> {
  const secret = Secret.fromHex(session.random.hex(secretBytes)).base32;
  const sealed = await sealText(session, name, secret);
  return (await proposeTotp(session.db, name, sealed)) ? { secret, uri: totpOf(name, secret).toString() } : null;
}

/**
 * Whether the code is one of now, or of the period before or after: clocks of telephones differ. Each code counts once.
 * `isNew`: whether a secret that is not confirmed yet is meant. Throws `FACTOR_UNREADABLE` if the key that seals the
 * secret is lost.
 */
async function isCode(
  session: Session,
  { name, code, isNew }: { name: string; code: string; isNew: boolean },
): Promise<boolean> {
  const { db, clock } = session;
  const totp = await findTotp(db, name);
  if (totp === null || (totp.confirmed_at === null) !== isNew) return false;
  const secret = await openText(session, name, totp.secret);
  if (secret === null)
    throw new Refused('FACTOR_UNREADABLE', 'The secret of the app with codes cannot be read: its key is lost.', {
      hint: 'Ask an administrator to reset your second factors, then add an app again.',
    });
  const now = clock.now();
  const delta = totpOf(name, secret).validate({ token: code, timestamp: now, window: 1 });
  return delta !== null && useTotpStep(db, totp, Math.floor(now / periodMs) + delta);
}

/** The same for somebody who may be guessing: throws `SIGN_IN_THROTTLED` after several wrong codes. */
export function tryCode(session: Session, tried: Parameters<typeof isCode>[1]): Promise<boolean> {
  return attempt(session, [{ kind: 'code', subject: tried.name }], () => isCode(session, tried));
}

/** Seals the secrets that earlier versions stored in the clear. */
export async function sealEarlierTotp(session: Session): Promise<void> {
  for (const totp of await listTotp(session.db)) {
    if (isSealed(totp.secret)) continue;
    const sealed = await sealText(session, totp.name, totp.secret);
    await session.db.transact((tx) => replaceTotpSecret(tx, totp, sealed));
  }
}
