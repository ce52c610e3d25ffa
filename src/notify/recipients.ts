import { z } from 'zod';
import { safeUrl } from '../core/safe-url.ts';

/** What there is word of. */
export const newsKinds = ['needs_approval', 'finished', 'paused', 'in_doubt', 'slot_missed', 'low_balance'] as const;
export type NewsKind = (typeof newsKinds)[number];

const about = {
  /** What they are told of (default: everything). */
  on: z
    .array(z.enum(newsKinds))
    .min(1)
    .default([...newsKinds]),
  /** Of which accounts, and of which jobs (default: all). */
  accounts: z.array(z.string().min(1)).optional(),
  jobs: z.array(z.string().min(1)).optional(),
};

/** One recipient, as the configuration or a job says. Secrets are names of environment variables. */
export const recipientShape = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('email'),
    to: z.email(),
    /** Whether the report of a finished batch is attached, or only named. */
    attachReport: z.boolean().default(true),
    ...about,
  }),
  /** A POST signed as Standard Webhooks specifies; the secret begins with "whsec_". */
  z.strictObject({ kind: z.literal('webhook'), url: safeUrl, secretEnv: z.string().min(1), ...about }),
  /** An incoming webhook of Slack, Teams, Mattermost or the like: its address is a secret. */
  z.strictObject({ kind: z.literal('chat'), name: z.string().min(1), urlEnv: z.string().min(1), ...about }),
]);
export type RecipientInput = z.output<typeof recipientShape>;

/** The mail server that takes e-mail. */
export const mailShape = z.strictObject({
  host: z.string().min(1),
  port: z.number().int().positive().default(587),
  /** TLS from the first byte (port 465); otherwise the connection is upgraded where the server can. */
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
  | { kind: 'webhook'; url: string; secret: string }
  | { kind: 'chat'; url: string }
);

export interface Mail {
  host: string;
  port: number;
  secure: boolean;
  from: string;
  user?: string;
  password?: string;
}

/** Fills secrets in. `secret` gives the value of an environment variable, or fails with the field that names it. */
export function resolveRecipient(
  given: RecipientInput,
  secret: (field: string, variable: string) => string,
): Recipient {
  const { on, accounts, jobs } = given;
  const of = { on, accounts, jobs };
  switch (given.kind) {
    case 'email':
      return { id: `email ${given.to}`, kind: 'email', to: given.to, attachReport: given.attachReport, ...of };
    case 'webhook':
      return {
        id: `webhook ${given.url}`,
        kind: 'webhook',
        url: given.url,
        secret: secret('secretEnv', given.secretEnv),
        ...of,
      };
    case 'chat':
      return { id: `chat ${given.name}`, kind: 'chat', url: secret('urlEnv', given.urlEnv), ...of };
  }
}

/** Whether a recipient is told of something. */
export function isTold(
  recipient: Recipient,
  news: { kind: NewsKind; account: string | null; job: string | null },
): boolean {
  const { on, accounts, jobs } = recipient;
  if (!on.includes(news.kind)) return false;
  if (accounts && (news.account === null || !accounts.includes(news.account))) return false;
  return !jobs || (news.job !== null && jobs.includes(news.job));
}
