import { approval } from './pt/approval.ts';
import { audit } from './pt/audit.ts';
import { base } from './pt/base.ts';
import { batch } from './pt/batch.ts';
import { batches } from './pt/batches.ts';
import { doubts } from './pt/doubts.ts';
import { events } from './pt/events.ts';
import { jobs } from './pt/jobs.ts';
import { people } from './pt/people.ts';
import { reconciliation } from './pt/reconciliation.ts';
import { reports } from './pt/reports.ts';
import { rows } from './pt/rows.ts';
import { settings } from './pt/settings.ts';
import { signIn } from './pt/sign-in.ts';
import { situation } from './pt/situation.ts';
import { states } from './pt/states.ts';
import { wallets } from './pt/wallets.ts';

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
