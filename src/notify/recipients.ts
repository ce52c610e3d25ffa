import { z } from 'zod';
import { sha256 } from '../core/identity/ids.ts';
import { safeUrl, shownUrl, urlFault } from '../core/text/safe-url.ts';

/** The kinds of news. */
export const newsKinds = [
  'needs_approval',
  'finished',
  'paused',
  'in_doubt',
  'overdue',
  'changed_late',
  'held',
  'will_be_late',
  'late',
  'slot_missed',
  'low_balance',
  'unreachable',
  'throttled',
  'webhook_disabled',
  'standstill',
] as const;
export type NewsKind = (typeof newsKinds)[number];

const about = {
  /** The kinds of news that the recipient gets (default: all). Earlier versions called `throttled` "told_to_wait". */
  on: z
    .array(z.enum([...newsKinds, 'told_to_wait']).transform((kind) => (kind === 'told_to_wait' ? 'throttled' : kind)))
    .min(1)
    .default([...newsKinds]),
  /** The accounts and the jobs that the recipient gets news about (default: all). */
  accounts: z.array(z.string().min(1)).optional(),
  jobs: z.array(z.string().min(1)).optional(),
};

/** One recipient, as the configuration or a job names it. Secrets are given as names of environment variables. */
export const recipientShape = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('email'),
    to: z.email(),
    /** Whether the report of a finished batch is attached, or only named. */
    attachReport: z.boolean().default(true),
    ...about,
  }),
  /** A POST signed as Standard Webhooks specifies; the secret is "whsec_" and the key in base64. */
  z.strictObject({ kind: z.literal('webhook'), url: safeUrl, secretEnv: z.string().min(1), ...about }),
  /** An incoming webhook of Slack, Teams, Mattermost or a similar service: its address is a secret. */
  z.strictObject({ kind: z.literal('chat'), name: z.string().min(1), urlEnv: z.string().min(1), ...about }),
]);
export type RecipientInput = z.output<typeof recipientShape>;

/** The mail server that sends the mails. */
export const mailShape = z.strictObject({
  host: z.string().min(1),
  port: z.number().int().positive().default(587),
  /** TLS from the first byte (port 465); otherwise the connection is upgraded if the server can. */
  secure: z.boolean().default(false),
  from: z.string().min(3),
  userEnv: z.string().min(1).optional(),
  passwordEnv: z.string().min(1).optional(),
});
export type MailInput = z.output<typeof mailShape>;

/** A recipient with its secrets. `id` names it in the ledger and in logs. */
export type Recipient = {
  id: string;
  on: readonly NewsKind[];
  accounts?: readonly string[] | undefined;
  jobs?: readonly string[] | undefined;
} & (
  | { kind: 'email'; to: string; attachReport: boolean }
  | { kind: 'webhook'; url: string; secret: Secret }
  | { kind: 'chat'; url: Secret }
);

export interface Mail {
  host: string;
  port: number;
  secure: boolean;
  from: string;
  user?: Secret;
  password?: Secret;
}

/** A secret of the configuration. It may be replaced while the program works: read `value` each time it is used. */
export interface Secret {
  readonly value: string;
}

/** Returns what is wrong with a secret, without the secret itself; null if nothing is. */
export type FaultOf = (secret: string) => string | null;

/** Returns the secret that a variable names. If it is missing or wrong, fails with the name of the field. */
export type SecretOf = (field: string, variable: string, faultOf?: FaultOf) => Secret;

/** The least that Standard Webhooks allows: a shorter key can be guessed. */
const keyBytesMin = 24;

/**
 * Base64 is checked here, because Node's decoder skips invalid characters: a typing error would sign with another key,
 * and the receiver could not say why.
 */
function webhookSecretFault(secret: string): string | null {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (text === undefined) return 'is not "whsec_" and base64 after it';
  const key = Buffer.from(text, 'base64');
  const unpadded = (base64: string) => base64.replace(/=+$/, '');
  if (unpadded(key.toString('base64')) !== unpadded(text)) return 'has after "whsec_" what is not base64';
  return key.length < keyBytesMin ? `has less than ${keyBytesMin} bytes of key after "whsec_"` : null;
}

/** Fills secrets in, and checks them. */
export function resolveRecipient(given: RecipientInput, secret: SecretOf): Recipient {
  const { on, accounts, jobs } = given;
  const of = { on, accounts, jobs };
  switch (given.kind) {
    case 'email':
      return { id: `email ${given.to}`, kind: 'email', to: given.to, attachReport: given.attachReport, ...of };
    case 'webhook':
      return {
        id: `webhook ${named(given.url)}`,
        kind: 'webhook',
        url: given.url,
        secret: secret('secretEnv', given.secretEnv, webhookSecretFault),
        ...of,
      };
    case 'chat':
      return { id: `chat ${given.name}`, kind: 'chat', url: secret('urlEnv', given.urlEnv, urlFault), ...of };
  }
}

/** The URL without parts that may be secret. A few digits of its digest distinguish URLs that differ only there. */
function named(url: string): string {
  const shown = shownUrl(url);
  return shown === url ? url : `${shown} (${sha256(url).slice(0, 6)})`;
}

/** Whether a recipient wants this news. */
export function isNotified(
  recipient: Recipient,
  news: { kind: NewsKind; account: string | null; job: string | null },
): boolean {
  const { on, accounts, jobs } = recipient;
  if (!on.includes(news.kind)) return false;
  if (accounts && (news.account === null || !accounts.includes(news.account))) return false;
  return !jobs || (news.job !== null && jobs.includes(news.job));
}
