import { approval } from './sw/approval.ts';
import { base } from './sw/base.ts';
import { batch } from './sw/batch.ts';
import { batches } from './sw/batches.ts';
import { doubts } from './sw/doubts.ts';
import { events } from './sw/events.ts';
import { jobs } from './sw/jobs.ts';
import { people } from './sw/people.ts';
import { rows } from './sw/rows.ts';
import { signIn } from './sw/sign-in.ts';
import { situation } from './sw/situation.ts';
import { states } from './sw/states.ts';
import { wallets } from './sw/wallets.ts';

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
