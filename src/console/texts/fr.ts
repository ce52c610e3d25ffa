import { base } from './fr/base.ts';
import { batches } from './fr/batches.ts';
import { people } from './fr/people.ts';
import { signIn } from './fr/sign-in.ts';
import { states } from './fr/states.ts';

export const texts = {
  ...base,
  ...batches,
  ...states,
  ...people,
  ...signIn,
};
