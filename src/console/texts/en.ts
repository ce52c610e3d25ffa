import { approval } from './en/approval.ts';
import { audit } from './en/audit.ts';
import { base } from './en/base.ts';
import { batch } from './en/batch.ts';
import { batches } from './en/batches.ts';
import { doubts } from './en/doubts.ts';
import { events } from './en/events.ts';
import { jobs } from './en/jobs.ts';
import { people } from './en/people.ts';
import { reconciliation } from './en/reconciliation.ts';
import { reports } from './en/reports.ts';
import { rows } from './en/rows.ts';
import { settings } from './en/settings.ts';
import { signIn } from './en/sign-in.ts';
import { situation } from './en/situation.ts';
import { states } from './en/states.ts';
import { wallets } from './en/wallets.ts';

export const texts = {
  ...approval,
  ...audit,
  ...base,
  ...batch,
  ...batches,
  ...doubts,
  ...events,
  ...jobs,
  ...reconciliation,
  ...reports,
  ...rows,
  ...settings,
  ...situation,
  ...states,
  ...wallets,
  ...people,
  ...signIn,
};
