import { approval } from './sw/approval.ts';
import { audit } from './sw/audit.ts';
import { base } from './sw/base.ts';
import { batch } from './sw/batch.ts';
import { batches } from './sw/batches.ts';
import { doubts } from './sw/doubts.ts';
import { events } from './sw/events.ts';
import { jobs } from './sw/jobs.ts';
import { people } from './sw/people.ts';
import { reconciliation } from './sw/reconciliation.ts';
import { reports } from './sw/reports.ts';
import { rows } from './sw/rows.ts';
import { settings } from './sw/settings.ts';
import { signIn } from './sw/sign-in.ts';
import { situation } from './sw/situation.ts';
import { states } from './sw/states.ts';
import { wallets } from './sw/wallets.ts';

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
