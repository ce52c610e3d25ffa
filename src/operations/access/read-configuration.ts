import { z } from 'zod';
import { shownPlace } from '../../runtime/session/session.ts';
import { placeOf } from '../../runtime/settings/anchor-places.ts';
import { roles } from '../../runtime/settings/config-shape.ts';
import { defineOperation } from '../base/operation.ts';

/** Settings by their names in the configuration, as `docs/configuration.md` has them. */
const settings = z.record(z.string(), z.unknown());

/**
 * Shows the configuration that is in use. It has no secrets, nor addresses that may contain one. Auditors see whose
 * mail goes to which organisation, and no complete e-mail address.
 */
export const readConfiguration = defineOperation({
  name: 'read-configuration',
  role: 'admin',
  mayAudit: true,
  ledger: 'none',
  input: z.strictObject({}),
  result: z.strictObject({
    /** The file that has it; null: there is none. */
    file: z.string().nullable(),
    /** The path of the file, or the URL of the database without user and password. */
    ledger: z.string(),
    /** The folder of the reports. */
    out: z.string(),
    /** The folder of the jobs. */
    jobs: z.string(),
    log: z.string().nullable(),
    readable_by_group: z.boolean(),
    intake: settings,
    policy: settings,
    /** Who has which role. Everybody has a role that is not named. */
    people: z.partialRecord(z.enum(roles), z.array(z.string())),
    /** The other names of people, each with the person whose it is. */
    other_names: z.record(z.string(), z.string()),
    notifications: z.array(
      z.strictObject({
        /** The kind and the address, or the name of a chat. */
        recipient: z.string(),
        /** The kinds of news that it gets. */
        on: z.array(z.string()),
        /** Null: of all accounts, of all jobs. */
        accounts: z.array(z.string()).nullable(),
        jobs: z.array(z.string()).nullable(),
      }),
    ),
    /** The mail server; null if there is none. */
    mail: z.strictObject({ host: z.string(), port: z.int(), from: z.string() }).nullable(),
    /** Where the heads of audit chains are put. */
    anchors: z.array(z.string()),
    /** Days after a batch's end after which its people are forgotten; null: never. */
    personal_data_days: z.int().nullable(),
    /** What is probably wrong with it. */
    warnings: z.array(z.string()),
  }),
  async run({ session: { config, ledgerPath, ledgerUrl, grant } }) {
    const { out, jobs, log, readableByGroup, intake, policy, people, mail } = config;
    const isAdmin = grant?.roles.includes('admin') ?? true;
    const address = (text: string) => (isAdmin ? text : text.replace(/[^\s@<]+@/g, '***@'));
    return {
      file: config.file,
      ...{ ledger: shownPlace({ ledger: ledgerPath, ledgerUrl }), out, jobs, intake, policy },
      log: log?.file ?? null,
      readable_by_group: readableByGroup,
      people: Object.fromEntries(Object.entries(people).map(([role, names]) => [role, [...names]])),
      other_names: Object.fromEntries(config.otherNames),
      notifications: config.notifications.map(({ id, on, accounts, jobs: ofJobs }) => ({
        recipient: address(id),
        on: [...on],
        accounts: accounts ? [...accounts] : null,
        jobs: ofJobs ? [...ofJobs] : null,
      })),
      mail: mail && { host: mail.host, port: mail.port, from: address(mail.from) },
      anchors: config.anchors.map(placeOf),
      personal_data_days: config.retention.personalDataDays ?? null,
      warnings: [...config.warnings],
    };
  },
});
