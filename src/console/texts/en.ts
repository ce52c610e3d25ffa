import { approval } from './en/approval.ts';
import { base } from './en/base.ts';
import { batch } from './en/batch.ts';
import { batches } from './en/batches.ts';
import { doubts } from './en/doubts.ts';
import { events } from './en/events.ts';
import { jobs } from './en/jobs.ts';
import { people } from './en/people.ts';
import { rows } from './en/rows.ts';
import { signIn } from './en/sign-in.ts';
import { situation } from './en/situation.ts';
import { states } from './en/states.ts';
import { wallets } from './en/wallets.ts';

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
