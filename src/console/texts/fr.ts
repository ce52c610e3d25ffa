import { approval } from './fr/approval.ts';
import { base } from './fr/base.ts';
import { batch } from './fr/batch.ts';
import { batches } from './fr/batches.ts';
import { doubts } from './fr/doubts.ts';
import { events } from './fr/events.ts';
import { jobs } from './fr/jobs.ts';
import { people } from './fr/people.ts';
import { rows } from './fr/rows.ts';
import { signIn } from './fr/sign-in.ts';
import { situation } from './fr/situation.ts';
import { states } from './fr/states.ts';
import { wallets } from './fr/wallets.ts';

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
