import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { z } from 'zod';
import { AirbatchError, configFaults, errorMessage, errorTable } from '../../core/basics/errors.ts';
import { faultTexts, shapeFaults } from '../../core/text/shape-faults.ts';
import { didYouMean } from '../../core/text/similar-name.ts';
import { ledgerUrlSecrets } from '../../ledger/drivers/postgres/ledger-url.ts';
import {
  type Mail,
  type MailInput,
  type Recipient,
  type RecipientInput,
  resolveRecipient,
  type SecretOf,
} from '../../notify/recipients.ts';
import type { Bucket } from '../../reports/store/object-store.ts';
import type { LogFile } from '../logging/log.ts';
import { type AccountConfig, environmentAccount, resolveAccount, sandboxAccountName } from './account-config.ts';
import type { Anchor, AnchorInput } from './anchor-places.ts';
import { type BackupConfig, resolveBackup } from './backup-config.ts';
import { configShape, type Role } from './config-shape.ts';
import { type ConsoleConfig, resolveConsole } from './console-config.ts';
import { readEditedJson } from './edited-text.ts';
import { openDotEnv, openFileWarning, readDotEnv, secretsNamed } from './environment.ts';
import { type LedgerPlace, resolveLedger } from './ledger-place.ts';
import { requireOwnCode } from './own-code.ts';
import { resolveBucket, resolveReports } from './reports-config.ts';
import { resolveAirbatch } from './resolve-airbatch.ts';
import { collectSecrets, type Replaced, type Secrets } from './secrets.ts';
import { resolveTraces, type TracesConfig } from './traces-config.ts';

/** The whole configuration, resolved once: paths are absolute, secrets are values. It is never logged. */
export interface Config extends LedgerPlace {
  /** The file that it was read from; null: there is none. */
  file: string | null;
  /** Where reports are kept: a folder, or "s3://bucket/prefix". */
  out: string;
  /** The bucket that `out` names; null: it is a folder. */
  bucket: Bucket | null;
  /** By name. An account is replaced by another one when its secrets are. */
  accounts: Map<string, AccountConfig>;
  intake: Record<string, unknown>;
  policy: Record<string, unknown>;
  log: LogFile | null;
  readableByGroup: boolean;
  notifications: readonly Recipient[];
  /** The secret that a field of another file (a job) names by a variable. Throws `CONFIG_INVALID`. */
  secretOf: SecretOf;
  mail: Mail | null;
  /** The folder of the job definitions. Relative paths in them start from its parent folder. */
  jobs: string;
  anchors: readonly Anchor[];
  backup: BackupConfig | null;
  traces: TracesConfig | null;
  retention: { personalDataDays?: number | undefined };
  people: { readonly [role in Role]?: readonly string[] };
  /** The other names of people, each with the person whose it is. */
  otherNames: ReadonlyMap<string, string>;
  console: ConsoleConfig;
  webhooks: { allowPrivateAddresses: boolean; keepDays: number };
  /**
   * Reads all secrets again. An account uses new ones only once it is opened again: `accounts` are the accounts with
   * them. If a secret of an account has a fault, its other ones may be newer. Throws `CONFIG_INVALID`.
   */
  rereadSecrets: () => Replaced & { accounts: ReadonlyMap<string, AccountConfig> };
  /** Every secret, for the log to redact. It grows when a secret is replaced. */
  secrets: string[];
  /** Problems of configuration files that do not keep them from being used. */
  warnings: readonly string[];
}

export interface ConfigSources {
  cwd: string;
  env: Record<string, string | undefined>;
  /** A path given on the command line, or undefined for the file of the working directory. */
  configPath?: string | undefined;
}

const defaultNames = ['airbatch.config.json', 'airbatch.config.ts'];

/** The configuration of a folder, if it has one. Of two, nobody could say which guards are in force. */
function configIn(folder: string): string | undefined {
  const [name, other] = defaultNames.filter((one) => existsSync(join(folder, one)));
  if (other !== undefined)
    throw new AirbatchError('CONFIG_INVALID', `there are two configurations in ${folder}: ${name} and ${other}`, {
      hint: 'Move one of them to another folder, or name the one to use with --config.',
    });
  return name && join(folder, name);
}

/** Reads and checks the configuration. Throws `CONFIG_INVALID` with the names of all wrong fields. */
export async function loadConfig({ cwd, env: given, configPath }: ConfigSources): Promise<Config> {
  const path = configPath ? resolve(cwd, configPath) : configIn(cwd);
  const file = path ? await readConfigFile(path) : {};
  const parsed = configShape.safeParse(file);
  if (!parsed.success) {
    throw configFaults(path ?? 'the configuration', faultTexts(shapeFaults(configShape, file), 'the file'));
  }
  const base = path ? dirname(path) : cwd;
  const { readableByGroup } = parsed.data;
  const named = collectSecrets(() => ({ ...readDotEnv(cwd), ...given }));
  const place = resolveLedger(parsed.data.ledger, { base, env: named.env() });
  const readAccounts = () => resolveAccounts(parsed.data.accounts, { base, secrets: named });
  const accounts = readAccounts();
  if (accounts.size > 0) requireCertificates(given);
  const anchors = parsed.data.anchors.map((anchor, index) => resolveAnchor(anchor, index, { base, secret: named.get }));
  const notifications = parsed.data.notifications.map((one, index) =>
    resolveRecipient(one, (field, ...rest) => named.get(`notifications.${index}.${field}`, ...rest)),
  );
  const mail = parsed.data.mail ? resolveMail(parsed.data.mail, named) : null;
  const backup = parsed.data.backup ? resolveBackup(parsed.data.backup, { base, secret: named.get }) : null;
  const traces = parsed.data.traces ? resolveTraces(parsed.data.traces, named.get) : null;
  const web = resolveConsole(parsed.data.console, { base, secret: named.get });
  const { out, bucket, ...reports } = resolveReports(parsed.data, { base, secret: named.get });
  named.requireAll();
  const faults = [...recipientFaults(parsed.data.notifications, { accounts, mail }), ...reports.faults];
  if (faults.length > 0) throw configFaults(path ?? 'the configuration', faults);
  named.values.push(...(place.ledgerUrl ? ledgerUrlSecrets(place.ledgerUrl) : []), ...secretsNamed(named.env()));
  return Object.freeze({
    file: path ?? null,
    ...place,
    out,
    bucket,
    accounts,
    intake: parsed.data.intake,
    policy: parsed.data.policy,
    readableByGroup,
    log: parsed.data.log ? { ...parsed.data.log, file: resolve(base, parsed.data.log.file), readableByGroup } : null,
    notifications,
    secretOf(...one) {
      const secret = named.get(...one);
      named.requireAll();
      return secret;
    },
    mail,
    jobs: resolve(base, parsed.data.jobs),
    anchors,
    backup,
    traces,
    retention: parsed.data.retention,
    people: parsed.data.people.roles,
    otherNames: parsed.data.people.otherNames,
    console: web,
    webhooks: parsed.data.webhooks,
    secrets: named.values,
    rereadSecrets() {
      const replaced = named.reread();
      const found = readAccounts();
      named.requireAll();
      return { ...replaced, accounts: found };
    },
    warnings: [...openDotEnv(cwd), ...named.openFiles()].map(openFileWarning),
  });
}

/** With this variable, Node takes any machine for the service that it asks, and gives it the keys of the accounts. */
function requireCertificates({ NODE_TLS_REJECT_UNAUTHORIZED }: ConfigSources['env']): void {
  if (NODE_TLS_REJECT_UNAUTHORIZED !== '0') return;
  throw new AirbatchError(
    'CONFIG_INVALID',
    'NODE_TLS_REJECT_UNAUTHORIZED=0 lets any machine pretend to be the service',
    {
      hint: 'Remove this environment variable. If your own authority signs certificates, name its file in NODE_EXTRA_CA_CERTS.',
    },
  );
}

/** The accounts of the file, and the one of the environment. */
function resolveAccounts(
  given: z.output<typeof configShape>['accounts'],
  { base, secrets }: { base: string; secrets: Secrets },
): Map<string, AccountConfig> {
  const accounts = new Map<string, AccountConfig>();
  for (const [name, account] of Object.entries(given))
    accounts.set(name, resolveAccount(name, account, { base, secrets }));
  const namesApiKey = Object.values(given).some(({ apiKeyEnv }) => apiKeyEnv === 'AIRBATCH_API_KEY');
  const fromEnv = environmentAccount(namesApiKey, secrets);
  if (fromEnv && !accounts.has(fromEnv.name)) accounts.set(fromEnv.name, fromEnv);
  return accounts;
}

async function readConfigFile(path: string): Promise<unknown> {
  const isCode = /\.[cm]?[jt]s$/.test(path);
  if (!existsSync(path))
    throw new AirbatchError('CONFIG_INVALID', `there is no configuration ${path}`, {
      hint: 'Check the path, or leave --config out to work without a configuration.',
    });
  if (isCode) requireOwnCode(path);
  try {
    if (!isCode) return readEditedJson(path);
    resolveAirbatch();
    const module = (await import(pathToFileURL(path).href)) as { default?: unknown };
    if (module.default === undefined) throw new Error('it has no default export');
    return module.default;
  } catch (error) {
    throw new AirbatchError('CONFIG_INVALID', `the configuration ${path} cannot be read: ${errorMessage(error)}`, {
      cause: error,
    });
  }
}

/** Problems that keep notifications from ever reaching the named people. Nobody would notice that they are missing. */
export function recipientFaults(
  given: readonly RecipientInput[],
  { accounts, mail }: Pick<Config, 'accounts' | 'mail'>,
): string[] {
  return given.flatMap(({ kind, accounts: named = [] }, index) => [
    ...(kind === 'email' && mail === null ? [`notifications.${index}: an e-mail needs "mail", which is missing`] : []),
    ...named
      .filter((name) => !accounts.has(name) && name !== sandboxAccountName)
      .map((name) => `notifications.${index}.accounts: there is no account "${name}"`),
  ]);
}

function resolveMail(given: MailInput, secrets: Secrets): Mail {
  const { userEnv, passwordEnv, ...rest } = given;
  return {
    ...rest,
    ...(userEnv ? { user: secrets.getName('mail.userEnv', userEnv) } : {}),
    ...(passwordEnv ? { password: secrets.get('mail.passwordEnv', passwordEnv) } : {}),
  };
}

function resolveAnchor(
  anchor: AnchorInput,
  index: number,
  { base, secret }: { base: string; secret: SecretOf },
): Anchor {
  if (anchor.kind === 'file') return { kind: 'file', path: resolve(base, anchor.path) };
  if (anchor.kind === 's3') return { kind: 's3', bucket: resolveBucket(`anchors.${index}`, anchor, secret) };
  if (anchor.kind === 'rfc3161' || anchor.tokenEnv === undefined) return { kind: anchor.kind, url: anchor.url };
  const token = secret(`anchors.${index}.tokenEnv`, anchor.tokenEnv);
  return { kind: 'url', url: anchor.url, token };
}

/**
 * The account to use: the one named, else the only one, else `default`. Null means the embedded sandbox, if none is
 * configured. Throws `ACCOUNT_UNKNOWN` if the choice is not clear.
 */
export function chooseAccount(config: Config, name: string | undefined): AccountConfig | null {
  const names = [...config.accounts.keys()];
  if (name === undefined) {
    if (names.length === 0) return null;
    const only = names.length === 1 ? names[0] : 'default';
    const chosen = config.accounts.get(only ?? '');
    if (chosen) return chosen;
    throw new AirbatchError('ACCOUNT_UNKNOWN', `several accounts are configured: ${names.join(', ')}`);
  }
  if (name === sandboxAccountName && !config.accounts.has(name)) return null;
  const chosen = config.accounts.get(name);
  if (!chosen) {
    const known = names.length > 0 ? names.join(', ') : `none; "${sandboxAccountName}" is the embedded sandbox`;
    const hint = `${didYouMean(name, [...names, sandboxAccountName])} ${errorTable.ACCOUNT_UNKNOWN.hint}`.trimStart();
    throw new AirbatchError('ACCOUNT_UNKNOWN', `there is no account "${name}" (configured: ${known})`, { hint });
  }
  return chosen;
}

/** The name of the account that `chooseAccount` chooses. */
export function chosenAccountName(config: Config, name: string | undefined): string {
  return chooseAccount(config, name)?.name ?? sandboxAccountName;
}
