import { z } from 'zod';
import { policyShape } from '../../core/state/batch-policy.ts';
import { overrides } from '../../core/text/overrides.ts';
import { intakeShape } from '../../intake/columns/settings.ts';
import { mailShape, recipientShape } from '../../notify/recipients.ts';
import { accountShape, positive } from './account-config.ts';
import { anchorsShape } from './anchor-places.ts';
import { backupShape } from './backup-config.ts';
import { consoleShape } from './console-config.ts';
import { ledgerShape } from './ledger-place.ts';
import { reportsShape } from './reports-config.ts';
import { tracesShape } from './traces-config.ts';

/**
 * The roles of people: they import files, approve batches, send and pause them, decide what happened to a payment,
 * read, and maintain the ledger.
 */
export const roles = ['prepare', 'approve', 'operate', 'resolve', 'audit', 'admin'] as const;
export type Role = (typeof roles)[number];

/** The names of roles in configurations of earlier versions. */
const earlierRoles = { submit: 'prepare', run: 'operate' } as const satisfies Record<string, Role>;

const named = z.array(z.string().min(1)).optional();

const peopleShape = z
  .strictObject({
    prepare: named,
    approve: named,
    operate: named,
    resolve: named,
    audit: named,
    admin: named,
    submit: named,
    run: named,
    /** The other names of people: of the operating system, of a second machine, of the console. */
    otherNames: z.record(z.string().min(1), z.array(z.string().min(1))).default({}),
  })
  .superRefine((people, { addIssue }) => {
    for (const [earlier, role] of Object.entries(earlierRoles))
      if (people[earlier as keyof typeof earlierRoles] && people[role])
        addIssue({ code: 'custom', message: `"${earlier}" is the earlier name of "${role}": keep one of them` });
    const taken = new Set(Object.keys(people.otherNames));
    for (const name of Object.values(people.otherNames).flat()) {
      if (taken.has(name))
        addIssue({
          code: 'custom',
          path: ['otherNames'],
          message: `"${name}" is there twice: it is one person's name`,
        });
      taken.add(name);
    }
  })
  .transform(({ submit, run, otherNames, ...people }) => {
    const byRole = { ...people, prepare: people.prepare ?? submit, operate: people.operate ?? run };
    const given = Object.entries(byRole).filter(([, names]) => names !== undefined);
    return {
      roles: Object.fromEntries(given) as { [role in Role]?: readonly string[] },
      otherNames: new Map(
        Object.entries(otherNames).flatMap(([person, names]) => names.map((name) => [name, person] as const)),
      ),
    };
  });

export const configShape = z.strictObject({
  ledger: ledgerShape,
  out: z.string().min(1).optional(),
  reports: reportsShape.optional(),
  /** The folder of the job definitions. */
  jobs: z.string().min(1).default('jobs'),
  accounts: z
    .record(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,39}$/, 'must consist of a-z, 0-9, "_" and "-"'), accountShape)
    .default({}),
  /** Defaults for intake, and what it refuses. */
  intake: overrides(intakeShape),
  /** Where the heads of audit chains are stored outside the ledger. */
  anchors: anchorsShape.default([]),
  /** Who is notified of what, and the mail server that accepts e-mail. */
  notifications: z.array(recipientShape).default([]),
  mail: mailShape.optional(),
  /** Whether the group of the folder may read reports and log files, in addition to their owner. */
  readableByGroup: z.boolean().default(false),
  /** Webhooks to other programs. */
  webhooks: z
    .strictObject({
      /** Whether endpoints may have an address of an inner network. */
      allowPrivateAddresses: z.boolean().default(false),
      /** How many days the log of deliveries is kept. */
      keepDays: positive.default(30),
    })
    .prefault({}),
  /** A log in files, in addition to stderr. */
  log: z
    .strictObject({ file: z.string().min(1), maxSizeMb: positive.default(10), keep: positive.default(5) })
    .optional(),
  /** Where backups go, and how many are kept. */
  backup: backupShape.optional(),
  /** Where the traces of batches are sent. */
  traces: tracesShape.optional(),
  /** How long personal data is kept, in days after a batch has ended. If it is left out: for ever. */
  retention: z.strictObject({ personalDataDays: positive.optional() }).default({}),
  /** What a batch may do without a person. */
  policy: overrides(policyShape),
  /** Who has which role, by the operating system's user names. Everybody has a role that is not listed. */
  people: peopleShape.prefault({}),
  /** The console and the HTTP API: their address, their proxies, and how people sign in. */
  console: consoleShape.prefault({}),
});

/** The content of `airbatch.config.json` (or `.ts`). */
export type ConfigFile = z.input<typeof configShape>;
