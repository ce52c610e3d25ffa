import { base } from './pt/base.ts';
import { batches } from './pt/batches.ts';
import { people } from './pt/people.ts';
import { signIn } from './pt/sign-in.ts';
import { states } from './pt/states.ts';

export const texts = {
  ...base,
  ...batches,
  ...states,
  ...people,
  ...signIn,
};
