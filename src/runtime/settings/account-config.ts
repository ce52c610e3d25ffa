import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { safeUrl } from '../../core/text/safe-url.ts';
import { defaultEngineSettings } from '../../engine/runner/settings.ts';
import { requestClasses } from '../../gateway/contract/gateway.ts';
import { requestDeadlineMsDefault } from '../../gateway/contract/policies.ts';
import type { WebhookKeys } from '../../gateway/webhooks/webhook-signatures.ts';
import type { SecretOf } from '../../notify/recipients.ts';
import { requireSecret } from './environment.ts';

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

/** An account of the configuration, with its secrets as values. */
export interface AccountConfig
  extends Omit<z.output<typeof accountShape>, 'apiKeyEnv' | 'emailEnv' | 'tokenEnv' | 'webhooks'> {
  name: string;
  credentials: { apiKey: string } | { email: string; token: string };
  /** Where its secrets come from, for people: the names of the environment variables, "TOPUP_EMAIL and TOPUP_TOKEN". */
  credentialsFrom: string;
  webhookKeys: WebhookKeys;
}

export function resolveAccount(
  name: string,
  account: z.output<typeof accountShape>,
  secretOf: SecretOf,
): AccountConfig {
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
 * `AIRBATCH_BASE_URL` and `AIRBATCH_API_KEY` alone define the account `default` (V2). `AIRBATCH_CALLBACK_URL` and
 * `AIRBATCH_WEBHOOK_SECRET` are optional.
 */
export function environmentAccount(
  env: Record<string, string | undefined>,
  namesApiKey: boolean,
): AccountConfig | null {
  const { AIRBATCH_BASE_URL: baseUrl, AIRBATCH_API_KEY: apiKey } = env;
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
