import { base } from './en/base.ts';
import { batches } from './en/batches.ts';
import { people } from './en/people.ts';
import { signIn } from './en/sign-in.ts';
import { states } from './en/states.ts';

export const texts = {
  ...base,
  ...batches,
  ...states,
  ...people,
  ...signIn,
};
