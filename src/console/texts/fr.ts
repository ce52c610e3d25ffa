import { approval } from './fr/approval.ts';
import { audit } from './fr/audit.ts';
import { base } from './fr/base.ts';
import { batch } from './fr/batch.ts';
import { batches } from './fr/batches.ts';
import { doubts } from './fr/doubts.ts';
import { events } from './fr/events.ts';
import { jobs } from './fr/jobs.ts';
import { people } from './fr/people.ts';
import { reconciliation } from './fr/reconciliation.ts';
import { reports } from './fr/reports.ts';
import { rows } from './fr/rows.ts';
import { settings } from './fr/settings.ts';
import { signIn } from './fr/sign-in.ts';
import { situation } from './fr/situation.ts';
import { states } from './fr/states.ts';
import { wallets } from './fr/wallets.ts';

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
