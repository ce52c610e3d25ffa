import { base } from './sw/base.ts';
import { batches } from './sw/batches.ts';
import { people } from './sw/people.ts';
import { signIn } from './sw/sign-in.ts';
import { states } from './sw/states.ts';

export const texts = {
  ...base,
  ...batches,
  ...states,
  ...people,
  ...signIn,
};
