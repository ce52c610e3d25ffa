import { base } from './pt/base.ts';
import { batches } from './pt/batches.ts';
import { states } from './pt/states.ts';

export const texts = { ...base, ...states, ...batches };
