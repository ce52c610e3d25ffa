import { approval } from './pt/approval.ts';
import { base } from './pt/base.ts';
import { batch } from './pt/batch.ts';
import { batches } from './pt/batches.ts';
import { doubts } from './pt/doubts.ts';
import { events } from './pt/events.ts';
import { jobs } from './pt/jobs.ts';
import { people } from './pt/people.ts';
import { rows } from './pt/rows.ts';
import { signIn } from './pt/sign-in.ts';
import { situation } from './pt/situation.ts';
import { states } from './pt/states.ts';
import { wallets } from './pt/wallets.ts';

export const texts = {
  ...approval,
  ...base,
  ...batch,
  ...batches,
  ...doubts,
  ...events,
  ...jobs,
  ...rows,
  ...situation,
  ...states,
  ...wallets,
  ...people,
  ...signIn,
};
