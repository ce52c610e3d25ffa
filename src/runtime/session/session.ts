import { userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { type Random, systemRandom } from '../../core/basics/random.ts';
import type { Log } from '../../core/text/log.ts';
import { systemClock } from '../../core/time/clock.ts';
import { cancelRowsLeft } from '../../engine/batches/cancelled-rows.ts';
import { endAbandoned } from '../../intake/check/end-reading.ts';
import type { Actor, Through } from '../../ledger/actor.ts';
import { ledgerUrlSecrets, shownLedgerUrl } from '../../ledger/drivers/postgres/ledger-url.ts';
import { findOpenMove, moved } from '../../ledger/schema/moves.ts';
import type { Signing } from '../../reports/reports.ts';
import { openSigningKey, type SigningKey } from '../../reports/versions/signing-key.ts';
import { isJournal, makeLog } from '../logging/log.ts';
import { type Config, loadConfig } from '../settings/config.ts';
import type { Role } from '../settings/config-shape.ts';
import { chooseLedger, type LedgerPlace } from '../settings/ledger-place.ts';
import { openLedger, openPlace } from './ledger.ts';
import { isDeadProcess, processHolder } from './process-holder.ts';

/** What a caller of the HTTP API may do. */
export interface Grant {
  roles: readonly Role[];
  /** The accounts that the caller sees; empty: all. */
  accounts: readonly string[];
}

/**
 * What every door opens first: the configuration, the ledger and the log. The person is the operating system's user who
 * runs the program.
 */
export interface Session extends Actor {
  config: Config;
  /** The ledger on SQLite. Its folder has keys and uploads, also if the ledger is on PostgreSQL. */
  ledgerPath: string;
  /** The ledger on PostgreSQL; null: it is the file. */
  ledgerUrl: string | null;
  random: Random;
  log: Log;
  /** If it is set, it decides what the person may do; else the configuration's `people` decide. */
  grant?: Grant;
}

/** Where a session finds its configuration and its ledger, and how it logs. */
export interface SessionOptions {
  cwd: string;
  env: Record<string, string | undefined>;
  configPath: string | undefined;
  /** The path or the URL of the ledger; undefined: as configured. */
  ledgerPath: string | undefined;
  /** The door that the person uses; default: `library`. */
  through?: Through;
  /** Writes a short log for people to the screen of a person who watches. Null: JSON on `stderr`. */
  screen: ((text: string) => void) | null;
  /** Default: that of the process. */
  stderr?: NodeJS.WritableStream;
  /** For work on existing batches: a missing ledger is not created (`LEDGER_MISSING`). */
  onlyIfThere?: boolean;
  /** For operations that only read: a missing ledger is replaced by one in memory, and no file is created. */
  onlyReads?: boolean;
  /** For operations that need no ledger: one in memory takes its place. `ledgerPath` is still the ledger's own path. */
  noLedger?: boolean;
}

/** Stands for the ledger's path if there is no ledger: see `SessionOptions.onlyReads`. */
export const noLedgerPath = ':memory:';

/**
 * Opens the ledger and the log as configured, and cleans up what killed programs left: half-read files, and rows of
 * cancelled batches. Throws `CONFIG_INVALID`, `LEDGER_MISSING`, or the reason why the ledger cannot be opened
 * (`LEDGER_VERSION`, `LEDGER_BUSY`, `LEDGER_DAMAGED`, `LEDGER_IO`, `LEDGER_MOVED`). The caller closes `db`.
 */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { cwd, env, configPath, screen, stderr, onlyIfThere = false, onlyReads = false, noLedger = false } = options;
  const { through = 'library' } = options;
  const config = await loadConfig({ cwd, env, configPath });
  const place = chooseLedger(config, options);
  if (place.ledgerUrl) config.secrets.push(...ledgerUrlSecrets(place.ledgerUrl));
  const log = makeLog({
    level: screen ? 'warn' : 'info',
    secrets: config.secrets,
    screen,
    stderr,
    journal: isJournal(env, stderr),
    file: config.log,
  });
  for (const why of config.warnings) log.warn('a setting of the configuration is probably not intended', { why });
  const found = noLedger ? null : await openPlace(place, { onlyIfThere: onlyIfThere || onlyReads });
  if (onlyIfThere && found === null)
    throw new AirbatchError('LEDGER_MISSING', `there is no ledger at ${shownPlace(place)}`);
  const isMissing = !noLedger && found === null;
  const db = found ?? (await openLedger(noLedgerPath));
  try {
    // A ledger that was moved can still be read.
    const move = await findOpenMove(db);
    if (move === null) {
      await endAbandoned({ db, clock: systemClock }, processHolder(systemClock), isDeadProcess);
      await cancelRowsLeft({ db, clock: systemClock }, { actor: 'engine' });
    } else if (!onlyIfThere && !onlyReads) throw moved(move);
    else
      log.warn('this ledger was moved, or is an unfinished copy: another one is in use', { place: move.other_place });
  } catch (error) {
    await db.close();
    throw error;
  }
  const { otherNames } = config;
  const person = personName();
  const ledgerPath = isMissing ? noLedgerPath : place.ledger;
  const ledgerUrl = isMissing ? null : place.ledgerUrl;
  return {
    config,
    ledgerPath,
    ledgerUrl,
    db,
    clock: systemClock,
    random: systemRandom,
    log,
    person,
    through,
    otherNames,
  };
}

/** The place of the ledger for people: no password. */
export function shownPlace({ ledger, ledgerUrl }: LedgerPlace): string {
  return ledgerUrl === null ? ledger : shownLedgerUrl(ledgerUrl);
}

export function signingKeyPath(ledgerPath: string): string {
  return join(dirname(ledgerPath), 'signing-key.pem');
}

/**
 * The key that signs this installation's reports. It is next to the ledger. Throws `LEDGER_IO` if the file system
 * refuses access.
 */
export async function sessionKey({ ledgerPath }: Pick<Session, 'ledgerPath'>): Promise<SigningKey> {
  const path = signingKeyPath(ledgerPath);
  try {
    return await openSigningKey(path, ledgerPath);
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw keyFileError(`the key that signs reports, ${path}`, error);
  }
}

/** The error for a key next to the ledger that cannot be used. `what`: the key, and its path. */
export function keyFileError(what: string, error: unknown): AirbatchError {
  return new AirbatchError('LEDGER_IO', `${what}: ${errorMessage(error)}`, {
    hint: 'Check that you may read and write the folder of the ledger: ask its owner.',
    cause: error,
  });
}

/** Signs reports with the key of this installation, and publishes them in the name of the session's person. */
export async function sessionSigning(session: Session): Promise<Signing> {
  const { clock, person, through } = session;
  return { key: await sessionKey(session), clock, person, through };
}

function personName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a user id without a name. The environment proves no name: anybody may set it, and one
    // person could pose as the second.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
