import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { unlessGone } from '../../core/basics/unless-gone.ts';
import { secretsKeyPath } from '../session/sealed-text.ts';
import { type Session, signingKeyPath } from '../session/session.ts';
import type { Manifest } from './manifest.ts';

/** The folder of a backup with the configuration and the jobs. A restore does not put them in force. */
const configurationFolder = 'configuration';

/** A file that belongs in a backup: where it is, and its name there. */
interface Source {
  path: string;
  name: string;
}

/**
 * The files that a backup has besides the ledger. The key of sealed secrets is only in an encrypted backup: with the
 * ledger, it opens the second factors of people and the secrets of webhooks.
 */
export async function filesToBackUp(
  { config, ledgerPath }: Pick<Session, 'config' | 'ledgerPath'>,
  isEncrypted: boolean,
): Promise<Source[]> {
  const folder = dirname(ledgerPath);
  const keys = [signingKeyPath(ledgerPath), ...(isEncrypted ? [secretsKeyPath(ledgerPath)] : [])];
  // The files of drafts, and the files that jobs got from programs.
  const belonging = await Promise.all(['drafts', 'jobs'].map((name) => filesIn(join(folder, name), folder)));
  const configuration = config.file === null ? [] : [{ path: config.file, name: basename(config.file) }];
  const jobs = await filesIn(config.jobs, dirname(config.jobs));
  return [
    ...keys.filter(existsSync).map((path) => ({ path, name: basename(path) })),
    ...belonging.flat(),
    ...[...configuration, ...jobs].map(({ path, name }) => ({ path, name: `${configurationFolder}/${name}` })),
  ];
}

/** What is not in a backup, so that nobody finds out when it is needed. */
export function leftOut(
  { config, ledgerPath }: Pick<Session, 'config' | 'ledgerPath'>,
  isEncrypted: boolean,
): Manifest['left_out'] {
  const key = secretsKeyPath(ledgerPath);
  const keyLeftOut = { name: basename(key), why: 'only an encrypted backup has it: encrypt, or keep a copy apart' };
  return [
    ...(isEncrypted || !existsSync(key) ? [] : [keyLeftOut]),
    { name: '*.mark', why: 'the marks show that a ledger is old: they must not be restored with it' },
    { name: '.env', why: 'credentials belong in your store of secrets' },
    { name: 'reports', why: '"airbatch report" writes them again from the ledger' },
    ...(config.bucket === null ? [] : [{ name: 'drafts', why: `they are in the bucket ${config.out}` }]),
  ];
}

/** All files below a folder, with their names as seen from `base`; none if there is no such folder. */
async function filesIn(folder: string, base: string): Promise<Source[]> {
  const entries = (await unlessGone(readdir(folder, { recursive: true, withFileTypes: true }))) ?? [];
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, name: relative(base, path).replaceAll('\\', '/') }));
}
