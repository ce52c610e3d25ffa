import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { AirbatchError, configFaults, errorMessage } from '../../core/basics/errors.ts';
import { policyShape } from '../../core/state/batch-policy.ts';
import { overrides } from '../../core/text/overrides.ts';
import { safeUrl } from '../../core/text/safe-url.ts';
import { faultTexts, shapeFaults } from '../../core/text/shape-faults.ts';
import { didYouMean } from '../../core/text/similar-name.ts';
import { defaultEngineSettings } from '../../engine/runner/settings.ts';
import { requestClasses } from '../../gateway/contract/gateway.ts';
import { requestDeadlineMsDefault } from '../../gateway/contract/policies.ts';
import type { WebhookKeys } from '../../gateway/webhooks/webhook-signatures.ts';
import { intakeShape } from '../../intake/columns/settings.ts';
import {
  type FaultOf,
  type Mail,
  type MailInput,
  mailShape,
  type Recipient,
  type RecipientInput,
  recipientShape,
  resolveRecipient,
  type SecretOf,
} from '../../notify/recipients.ts';
import type { LogFile } from '../logging/log.ts';
import { type Anchor, type AnchorInput, anchorsShape } from './anchor-places.ts';
import { readEditedText } from './edited-text.ts';
import { collectSecrets, dotEnvWarnings, readDotEnv, requireSecret, secretsNamed } from './environment.ts';
import { requireOwnCode } from './own-code.ts';
import { resolveAirbatch } from './resolve-airbatch.ts';

/** The account that stands in where none is configured: the sandbox inside this very process. */
export const sandboxAccountName = 'sandbox';

const positive = z.number().int().positive();
const limitsShape = z.partialRecord(
  z.enum(requestClasses),
  z.strictObject({ limit: positive, windowMs: positive.optional() }),
);

/** What an account has where its configuration does not say otherwise. */
export const accountDefaults = {
  walletMode: 'auto',
  limits: {},
  requestDeadlineMs: requestDeadlineMsDefault,
  resumeWhenFunded: false,
  leaseTtlMs: defaultEngineSettings.leaseTtlMs,
  doubt: {},
} as const;

const accountShape = z
  .strictObject({
    version: z.enum(['v2', 'v1']).default('v2'),
    baseUrl: safeUrl,
    /** Names of environment variables: the secrets themselves never stand in a file that is shared. */
    apiKeyEnv: z.string().min(1).optional(),
    emailEnv: z.string().min(1).optional(),
    tokenEnv: z.string().min(1).optional(),
    walletMode: z.enum(['auto', 'global', 'local']).default(accountDefaults.walletMode),
    limits: limitsShape.default(accountDefaults.limits),
    /** One deadline for a whole request, in milliseconds. */
    requestDeadlineMs: positive.default(accountDefaults.requestDeadlineMs),
    /**
     * Where the service sends webhooks of each payment: `https://<public host>/webhooks/<account>/topups` of `airbatch
     * serve`.
     */
    callbackUrl: safeUrl.optional(),
    /**
     * What webhooks are signed with, besides the API key. While one is rotated, the old and the new are both believed.
     */
    webhooks: z
      .strictObject({
        /** Names of environment variables with the secrets given to `POST /enterprise/webhooks` (spec section 6.2). */
        secretEnvs: z.array(z.string().min(1)).max(2).default([]),
        /** The API key that was used before: what was sent under it is still called back with it. */
        previousApiKeyEnv: z.string().min(1).optional(),
      })
      .prefault({}),
    /** Whether batches that wait for money go on by themselves once a wallet holds more than before. */
    resumeWhenFunded: z.boolean().default(accountDefaults.resumeWhenFunded),
    /**
     * How long the account is held by a process that does not renew, in milliseconds: what a suspended one has to be
     * over it.
     */
    leaseTtlMs: z.number().int().min(1_000).default(accountDefaults.leaseTtlMs),
    /** Delays of the in-doubt algorithm, in milliseconds: shorter ones are for rehearsals only. */
    doubt: z
      .strictObject({
        lookupDelaysMs: z.array(positive).min(1),
        resendDelaysMs: z.array(positive).min(1),
        /**
         * How far apart payments to one number are sent; Version 1 blocks a repeated one for about a minute (code 50).
         */
        sameNumberSpacingMs: z.number().int().nonnegative(),
      })
      .partial()
      .default(accountDefaults.doubt),
  })
  .check((context) => {
    const { version, apiKeyEnv, emailEnv, tokenEnv, webhooks } = context.value;
    if (version === 'v1' && (webhooks.secretEnvs.length > 0 || webhooks.previousApiKeyEnv)) {
      const message = 'are not for a v1 account: Version 1 sends no webhooks';
      context.issues.push({ code: 'custom', path: ['webhooks'], input: context.value, message });
    }
    const missing =
      version === 'v2'
        ? apiKeyEnv
          ? []
          : ['apiKeyEnv']
        : [...(emailEnv ? [] : ['emailEnv']), ...(tokenEnv ? [] : ['tokenEnv'])];
    for (const field of missing) {
      context.issues.push({
        code: 'custom',
        path: [field],
        input: context.value,
        message: `is needed for a ${version} account`,
      });
    }
  });

/** What a person may do: bring files, approve them, and have them sent. */
export const roles = ['submit', 'approve', 'run'] as const;
export type Role = (typeof roles)[number];

const configShape = z.strictObject({
  ledger: z.string().min(1).default('.airbatch/ledger.db'),
  out: z.string().min(1).default('reports'),
  /** The folder of the job definitions. */
  jobs: z.string().min(1).default('jobs'),
  accounts: z
    .record(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'must consist of a-z, 0-9, "_" and "-"'), accountShape)
    .default({}),
  /** What intake takes for granted and what it refuses. */
  intake: overrides(intakeShape),
  /** Where the heads of audit chains are put outside of the ledger. */
  anchors: anchorsShape.default([]),
  /** Whom to tell what, and the mail server that takes e-mail. */
  notifications: z.array(recipientShape).default([]),
  mail: mailShape.optional(),
  /** Whether the group of the folder may read reports and log files, and not their owner alone. */
  readableByGroup: z.boolean().default(false),
  /** A log in files besides stderr. */
  log: z
    .strictObject({ file: z.string().min(1), maxSizeMb: positive.default(10), keep: positive.default(5) })
    .optional(),
  /** How long it is kept who was paid, in days after a batch has ended; without it, for ever. */
  retention: z.strictObject({ personalDataDays: positive.optional() }).default({}),
  /** What a batch may do without a person. */
  policy: overrides(policyShape),
  /** Who may do what, by the names that the operating system has for them; a role that is not named is everybody's. */
  people: z.partialRecord(z.enum(roles), z.array(z.string().min(1))).default({}),
});

/** The content of `airbatch.config.json` (or `.ts`). */
export type ConfigFile = z.input<typeof configShape>;

/** An account of the configuration, with its secrets as values. */
export interface AccountConfig
  extends Omit<z.output<typeof accountShape>, 'apiKeyEnv' | 'emailEnv' | 'tokenEnv' | 'webhooks'> {
  name: string;
  credentials: { apiKey: string } | { email: string; token: string };
  /** Where these come from, for people: the names of the environment variables, "TOPUP_EMAIL and TOPUP_TOKEN". */
  credentialsFrom: string;
  webhookKeys: WebhookKeys;
}

/** The whole configuration, resolved once: paths are absolute, secrets are values. It is never logged. */
export interface Config {
  ledger: string;
  out: string;
  accounts: ReadonlyMap<string, AccountConfig>;
  intake: Record<string, unknown>;
  policy: Record<string, unknown>;
  log: LogFile | null;
  readableByGroup: boolean;
  notifications: readonly Recipient[];
  /** The value of an environment variable that a field of another file (a job) names. Throws `CONFIG_INVALID`. */
  secretOf: SecretOf;
  mail: Mail | null;
  /** The folder of the job definitions; what is relative in them is so to the folder that it lies in. */
  jobs: string;
  anchors: readonly Anchor[];
  retention: { personalDataDays?: number | undefined };
  people: { readonly [role in Role]?: readonly string[] };
  /** Every secret, for the log to redact. */
  secrets: readonly string[];
  /** What is wrong with files of the configuration and does not keep it from being used. */
  warnings: readonly string[];
}

export interface ConfigSources {
  cwd: string;
  env: Record<string, string | undefined>;
  /** A path given on the command line, or undefined for the file of the working directory. */
  configPath?: string | undefined;
}

const defaultNames = ['airbatch.config.json', 'airbatch.config.ts'];

/** Reads and checks the configuration. Throws `CONFIG_INVALID` with the names of all wrong fields. */
export async function loadConfig({ cwd, env: given, configPath }: ConfigSources): Promise<Config> {
  const path = configPath ? resolve(cwd, configPath) : defaultNames.map((name) => join(cwd, name)).find(existsSync);
  const file = path ? await readConfigFile(path) : {};
  const parsed = configShape.safeParse(file);
  if (!parsed.success) {
    throw configFaults(path ?? 'the configuration', faultTexts(shapeFaults(configShape, file), 'the file'));
  }
  const base = path ? dirname(path) : cwd;
  const { readableByGroup } = parsed.data;
  const env = { ...readDotEnv(cwd), ...given };
  const named = collectSecrets(env);
  const accounts = new Map<string, AccountConfig>();
  for (const [name, account] of Object.entries(parsed.data.accounts))
    accounts.set(name, resolveAccount(name, account, named.get));
  const namesApiKey = Object.values(parsed.data.accounts).some(({ apiKeyEnv }) => apiKeyEnv === 'AIRBATCH_API_KEY');
  const fromEnv = environmentAccount(env, namesApiKey);
  if (fromEnv && !accounts.has(fromEnv.name)) accounts.set(fromEnv.name, fromEnv);
  const anchors = parsed.data.anchors.map((anchor, index) => resolveAnchor(anchor, index, { base, secret: named.get }));
  const secretOf = (field: string) => (name: string, variable: string, faultOf?: FaultOf) =>
    named.get(`${field}.${name}`, variable, faultOf);
  const notifications = parsed.data.notifications.map((one, index) =>
    resolveRecipient(one, secretOf(`notifications.${index}`)),
  );
  const mail = parsed.data.mail ? resolveMail(parsed.data.mail, secretOf('mail')) : null;
  named.requireAll();
  const faults = recipientFaults(parsed.data.notifications, { accounts, mail });
  if (faults.length > 0) throw configFaults(path ?? 'the configuration', faults);
  const notificationSecrets = notifications.flatMap((one) =>
    one.kind === 'webhook' ? [one.secret] : one.kind === 'chat' ? [one.url] : [],
  );
  if (mail?.password) notificationSecrets.push(mail.password);
  const anchorTokens = anchors.flatMap((anchor) => (anchor.kind === 'url' && anchor.token ? [anchor.token] : []));
  const secrets = [...accounts.values()]
    .flatMap(({ credentials, webhookKeys }) => [
      ...Object.values(credentials),
      ...webhookKeys.callback,
      ...webhookKeys.registered,
    ])
    .concat(anchorTokens, notificationSecrets, secretsNamed(env));
  return Object.freeze({
    ledger: resolve(base, parsed.data.ledger),
    out: resolve(base, parsed.data.out),
    accounts,
    intake: parsed.data.intake,
    policy: parsed.data.policy,
    readableByGroup,
    log: parsed.data.log ? { ...parsed.data.log, file: resolve(base, parsed.data.log.file), readableByGroup } : null,
    notifications,
    secretOf: (field, variable, faultOf) => requireSecret(env, field, variable, faultOf),
    mail,
    jobs: resolve(base, parsed.data.jobs),
    anchors,
    retention: parsed.data.retention,
    people: parsed.data.people,
    secrets,
    warnings: dotEnvWarnings(cwd),
  });
}

async function readConfigFile(path: string): Promise<unknown> {
  const isCode = /\.[cm]?[jt]s$/.test(path);
  if (isCode && existsSync(path)) requireOwnCode(path);
  try {
    if (!isCode) return JSON.parse(readEditedText(path));
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

/** What keeps word from ever reaching those who are named: nobody would miss it. */
export function recipientFaults(
  given: readonly RecipientInput[],
  { accounts, mail }: Pick<Config, 'accounts' | 'mail'>,
): string[] {
  return given.flatMap(({ kind, accounts: named = [] }, index) => [
    ...(kind === 'email' && mail === null
      ? [`notifications.${index}: an e-mail needs "mail", which is not there`]
      : []),
    ...named
      .filter((name) => !accounts.has(name) && name !== sandboxAccountName)
      .map((name) => `notifications.${index}.accounts: there is no account "${name}"`),
  ]);
}

function resolveMail(given: MailInput, secret: (field: string, variable: string) => string): Mail {
  const { userEnv, passwordEnv, ...rest } = given;
  return {
    ...rest,
    ...(userEnv ? { user: secret('userEnv', userEnv) } : {}),
    ...(passwordEnv ? { password: secret('passwordEnv', passwordEnv) } : {}),
  };
}

function resolveAnchor(
  anchor: AnchorInput,
  index: number,
  { base, secret }: { base: string; secret: SecretOf },
): Anchor {
  if (anchor.kind === 'file') return { kind: 'file', path: resolve(base, anchor.path) };
  if (anchor.kind === 'rfc3161' || anchor.tokenEnv === undefined) return { kind: anchor.kind, url: anchor.url };
  const token = secret(`anchors.${index}.tokenEnv`, anchor.tokenEnv);
  return { kind: 'url', url: anchor.url, token };
}

function resolveAccount(name: string, account: z.output<typeof accountShape>, secretOf: SecretOf): AccountConfig {
  const secret = (field: string, variable: string) => secretOf(`accounts.${name}.${field}`, variable);
  const { apiKeyEnv = '', emailEnv = '', tokenEnv = '', webhooks, ...rest } = account;
  const registered = webhooks.secretEnvs.map((variable) => secret('webhooks.secretEnvs', variable));
  if (account.version === 'v1') {
    const credentials = { email: secret('emailEnv', emailEnv), token: secret('tokenEnv', tokenEnv) };
    const credentialsFrom = `${emailEnv} and ${tokenEnv}`;
    return { name, ...rest, credentials, credentialsFrom, webhookKeys: { callback: [], registered } };
  }
  const apiKey = secret('apiKeyEnv', apiKeyEnv);
  const { previousApiKeyEnv } = webhooks;
  const previous = previousApiKeyEnv ? [secret('webhooks.previousApiKeyEnv', previousApiKeyEnv)] : [];
  const credentials = { credentials: { apiKey }, credentialsFrom: apiKeyEnv };
  return { name, ...rest, ...credentials, webhookKeys: { callback: [apiKey, ...previous], registered } };
}

/**
 * `AIRBATCH_BASE_URL` and `AIRBATCH_API_KEY` alone define the account `default` (V2); `AIRBATCH_CALLBACK_URL` and
 * `AIRBATCH_WEBHOOK_SECRET` may come with them.
 */
function environmentAccount(env: Record<string, string | undefined>, namesApiKey: boolean): AccountConfig | null {
  const { AIRBATCH_BASE_URL: baseUrl, AIRBATCH_API_KEY: apiKey } = env;
  if (!baseUrl && !apiKey) return null;
  // An account of the file may keep its key in this variable; then the one alone asks for no account of its own.
  if (!baseUrl && namesApiKey) return null;
  if (!baseUrl || !apiKey) {
    throw new AirbatchError(
      'CONFIG_INVALID',
      `${baseUrl ? 'AIRBATCH_API_KEY' : 'AIRBATCH_BASE_URL'} is not set, but its companion is`,
      {
        hint: 'Set both AIRBATCH_BASE_URL and AIRBATCH_API_KEY, or neither.',
      },
    );
  }
  const parsed = accountShape.safeParse({
    baseUrl,
    apiKeyEnv: 'AIRBATCH_API_KEY',
    callbackUrl: env.AIRBATCH_CALLBACK_URL || undefined,
    webhooks: { secretEnvs: env.AIRBATCH_WEBHOOK_SECRET ? ['AIRBATCH_WEBHOOK_SECRET'] : [] },
  });
  if (!parsed.success) {
    const variable = parsed.error.issues.some(({ path }) => path[0] === 'callbackUrl')
      ? 'AIRBATCH_CALLBACK_URL'
      : 'AIRBATCH_BASE_URL';
    throw new AirbatchError(
      'CONFIG_INVALID',
      `${variable} is not a URL that can be used: ${parsed.error.issues[0]?.message}`,
    );
  }
  return resolveAccount('default', parsed.data, (...named) => requireSecret(env, ...named));
}

/**
 * The account to use: the one named, else the only one, else `default`; null, if none is configured, means the embedded
 * sandbox. Throws `ACCOUNT_UNKNOWN` if the choice is not clear.
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
    const meant = didYouMean(name, [...names, sandboxAccountName]);
    throw new AirbatchError('ACCOUNT_UNKNOWN', `there is no account "${name}" (configured: ${known})`, {
      hint: `${meant} Name one of the configured accounts with --account.`.trimStart(),
    });
  }
  return chosen;
}
