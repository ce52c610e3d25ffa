import { resolve } from 'node:path';
import { z } from 'zod';
import { configFaults } from '../../core/basics/errors.ts';
import { isLedgerUrl, ledgerUrlFault } from '../../ledger/drivers/postgres/ledger-url.ts';
import { type Environment, findSecret } from './secret-file.ts';

/** The variable with the URL of a ledger on PostgreSQL, which usually has a password. */
const urlVariable = 'AIRBATCH_LEDGER_URL';
const defaultFile = '.airbatch/ledger.db';

/** The `ledger` of the configuration: a file, or `{ "url": … }`. */
export const ledgerShape = z
  .custom<string | { url: string }>(() => true)
  .check((context) => {
    const message = ledgerFault(context.value);
    if (message !== null) context.issues.push({ code: 'custom', input: '', message });
  })
  .default(defaultFile);

/** What is wrong with `ledger`, as a predicate. Nothing of it is repeated: it may contain a password. */
function ledgerFault(given: unknown): string | null {
  if (typeof given === 'string') {
    if (given === '') return 'must not be empty';
    return isLedgerUrl(given) ? 'is a URL: write { "url": "postgres://..." }' : null;
  }
  const { success, data } = z.strictObject({ url: z.string() }).safeParse(given);
  return success ? ledgerUrlFault(data.url) : 'must be the path of a file, or { "url": "postgres://..." }';
}

export interface LedgerPlace {
  /** The absolute path of the SQLite file. Its folder has keys and uploads, also if the ledger is on PostgreSQL. */
  ledger: string;
  /** The URL of the ledger on PostgreSQL; null: the ledger is the file. */
  ledgerUrl: string | null;
}

/**
 * The ledger that the configuration or the environment names. Throws `CONFIG_INVALID` if they name different ones: a
 * program that chose one of them could pay what the other has paid.
 */
export function resolveLedger(
  given: z.output<typeof ledgerShape>,
  { base, env }: { base: string; env: Environment },
): LedgerPlace {
  const found = findSecret(env, urlVariable);
  const ofVariable = found?.value || null;
  const fault = found?.fault ?? (ofVariable === null ? null : ledgerUrlFault(ofVariable));
  if (fault !== null) throw configFaults('the environment', [`${urlVariable} ${fault}`]);
  const ofFile = typeof given === 'object' ? given.url : null;
  if (given !== defaultFile && ofVariable !== null && ofFile !== ofVariable) {
    throw configFaults('the configuration', [
      `"ledger" names one ledger, and the environment variable ${urlVariable} another: remove one of them`,
    ]);
  }
  const file = typeof given === 'string' ? given : defaultFile;
  return { ledger: resolve(base, file), ledgerUrl: ofFile ?? ofVariable };
}

/** The same with `--ledger`, which may be a path or a URL and precedes everything else. */
export function chooseLedger(
  place: LedgerPlace,
  { cwd, ledgerPath: given }: { cwd: string; ledgerPath: string | undefined },
): LedgerPlace {
  if (!given) return place;
  if (!isLedgerUrl(given)) return { ledger: resolve(cwd, given), ledgerUrl: null };
  const fault = ledgerUrlFault(given);
  if (fault !== null) throw configFaults('the command', [`the URL of the ledger ${fault}`]);
  return { ledger: place.ledger, ledgerUrl: given };
}
