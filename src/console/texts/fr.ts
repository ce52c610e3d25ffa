import { base } from './fr/base.ts';
import { batches } from './fr/batches.ts';
import { states } from './fr/states.ts';

export const texts = { ...base, ...states, ...batches };
