import { resolve } from 'node:path';
import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { safeUrl } from '../../core/text/safe-url.ts';
import { defaultEngineSettings } from '../../engine/runner/settings.ts';
import { requestClasses } from '../../gateway/contract/gateway.ts';
import { requestDeadlineMsDefault } from '../../gateway/contract/policies.ts';
import { credentialFault } from '../../gateway/transport/service-call.ts';
import type { WebhookKeys } from '../../gateway/webhooks/webhook-signatures.ts';
import type { FaultOf } from '../../notify/recipients.ts';
import { findSecret } from './secret-file.ts';
import type { Secrets } from './secrets.ts';

/** The account that is used if none is configured: the sandbox inside this process. */
export const sandboxAccountName = 'sandbox';

export const positive = z.number().int().positive();
const limitsShape = z.partialRecord(
  // The service limits writes and sign-ins as well. airbatch sends none, and accepts settings for them.
  z.enum([...requestClasses, 'write', 'auth']),
  z.strictObject({ limit: positive, windowMs: positive.optional() }),
);

/** The defaults of an account. */
export const accountDefaults = {
  walletMode: 'auto',
  limits: {},
  requestDeadlineMs: requestDeadlineMsDefault,
  resumeWhenFunded: false,
  leaseTtlMs: defaultEngineSettings.leaseTtlMs,
  doubt: {},
} as const;

export const accountShape = z
  .strictObject({
    version: z.enum(['v2', 'v1']).default('v2'),
    baseUrl: safeUrl,
    /** Names of environment variables. The secrets themselves are never in a file that people share. */
    apiKeyEnv: z.string().min(1).optional(),
    emailEnv: z.string().min(1).optional(),
    tokenEnv: z.string().min(1).optional(),
    /** Files with a secret each, instead of these variables. */
    apiKeyFile: z.string().min(1).optional(),
    emailFile: z.string().min(1).optional(),
    tokenFile: z.string().min(1).optional(),
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
     * What signs webhooks, in addition to the API key. While a secret is rotated, the old and the new one are both
     * accepted.
     */
    webhooks: z
      .strictObject({
        /** Names of environment variables with the secrets given to `POST /enterprise/webhooks` (spec section 6.2). */
        secretEnvs: z.array(z.string().min(1)).max(2).default([]),
        /**
         * The API key before the current one: webhooks for payments that were sent with it are still signed with it.
         */
        previousApiKeyEnv: z.string().min(1).optional(),
      })
      .prefault({}),
    /** Whether batches that wait for money resume by themselves once a wallet holds more than before. */
    resumeWhenFunded: z.boolean().default(accountDefaults.resumeWhenFunded),
    /**
     * How long a process that does not renew its lease keeps the account, in milliseconds. A suspended process loses it
     * after this time.
     */
    leaseTtlMs: z.number().int().min(1_000).default(accountDefaults.leaseTtlMs),
    /** Delays of the in-doubt algorithm, in milliseconds. Shorter ones are for rehearsals only. */
    doubt: z
      .strictObject({
        lookupDelaysMs: z.array(positive).min(1),
        resendDelaysMs: z.array(positive).min(1),
        /**
         * The least time between payments to one number. Version 1 blocks a repeated payment for about a minute (code
         * 50).
         */
        sameNumberSpacingMs: z.number().int().nonnegative(),
      })
      .partial()
      .default(accountDefaults.doubt),
  })
  .check((context) => {
    const { version, webhooks } = context.value;
    const add = (path: string, message: string) =>
      context.issues.push({ code: 'custom', path: [path], input: context.value, message });
    if (version === 'v1' && (webhooks.secretEnvs.length > 0 || webhooks.previousApiKeyEnv))
      add('webhooks', 'are not for a v1 account: Version 1 sends no webhooks');
    for (const field of version === 'v2' ? (['apiKey'] as const) : (['email', 'token'] as const)) {
      const { [`${field}Env` as const]: variable, [`${field}File` as const]: file } = context.value;
      if (!variable && !file) add(`${field}Env`, `is needed for a ${version} account`);
      if (variable && file) add(`${field}File`, `is set, and ${field}Env as well: remove one of them`);
    }
  });

/** An account of the configuration, with its secrets as values. */
export interface AccountConfig
  extends Omit<z.output<typeof accountShape>, `${'apiKey' | 'email' | 'token'}${'Env' | 'File'}` | 'webhooks'> {
  name: string;
  credentials: { apiKey: string } | { email: string; token: string };
  /** Where its secrets come from, for people: variables or files, "TOPUP_EMAIL and the file /run/secrets/token". */
  credentialsFrom: string;
  webhookKeys: WebhookKeys;
}

export function resolveAccount(
  name: string,
  account: z.output<typeof accountShape>,
  { base, secrets }: { base: string; secrets: Secrets },
): AccountConfig {
  const { apiKeyEnv, apiKeyFile, emailEnv, emailFile, tokenEnv, tokenFile, webhooks, ...rest } = account;
  const secret = (field: string, variable: string, faultOf?: FaultOf) =>
    secrets.get(`accounts.${name}.${field}`, variable, faultOf).value;
  /** A secret that has a variable or a file, and its place for people. */
  const either = (field: string, variable: string | undefined, file: string | undefined): [string, string] => {
    if (file === undefined)
      return [secret(`${field}Env`, variable ?? '', credentialFault), secrets.placeOf(variable ?? '')];
    const path = resolve(base, file);
    return [secrets.read(`accounts.${name}.${field}File`, path, credentialFault).value, `the file ${path}`];
  };
  const registered = webhooks.secretEnvs.map((variable) => secret('webhooks.secretEnvs', variable));
  if (account.version === 'v1') {
    const [email, emailFrom] = either('email', emailEnv, emailFile);
    const [token, tokenFrom] = either('token', tokenEnv, tokenFile);
    const credentialsFrom = `${emailFrom} and ${tokenFrom}`;
    return { name, ...rest, credentials: { email, token }, credentialsFrom, webhookKeys: { callback: [], registered } };
  }
  const [apiKey, credentialsFrom] = either('apiKey', apiKeyEnv, apiKeyFile);
  const { previousApiKeyEnv } = webhooks;
  const previous = previousApiKeyEnv ? [secret('webhooks.previousApiKeyEnv', previousApiKeyEnv)] : [];
  const webhookKeys = { callback: [apiKey, ...previous], registered };
  return { name, ...rest, credentials: { apiKey }, credentialsFrom, webhookKeys };
}

/**
 * `AIRBATCH_BASE_URL` and `AIRBATCH_API_KEY` alone define the account `default` (V2). `AIRBATCH_CALLBACK_URL` and
 * `AIRBATCH_WEBHOOK_SECRET` are optional.
 */
export function environmentAccount(namesApiKey: boolean, secrets: Secrets): AccountConfig | null {
  const env = secrets.env();
  const { AIRBATCH_BASE_URL: baseUrl } = env;
  const apiKey = findSecret(env, 'AIRBATCH_API_KEY');
  if (!baseUrl && !apiKey) return null;
  // An account in the file may take its key from this variable. Then the variable alone does not define another
  // account.
  if (!baseUrl && namesApiKey) return null;
  if (!baseUrl || !apiKey) {
    throw new AirbatchError(
      'CONFIG_INVALID',
      `${baseUrl ? 'AIRBATCH_API_KEY' : 'AIRBATCH_BASE_URL'} is not set, but the other one is`,
      {
        hint: 'Set both AIRBATCH_BASE_URL and AIRBATCH_API_KEY, or neither.',
      },
    );
  }
  const parsed = accountShape.safeParse({
    baseUrl,
    apiKeyEnv: 'AIRBATCH_API_KEY',
    callbackUrl: env.AIRBATCH_CALLBACK_URL || undefined,
    webhooks: { secretEnvs: findSecret(env, 'AIRBATCH_WEBHOOK_SECRET') ? ['AIRBATCH_WEBHOOK_SECRET'] : [] },
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
  return resolveAccount('default', parsed.data, { base: '', secrets });
}
