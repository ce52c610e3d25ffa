import { base } from './sw/base.ts';
import { batches } from './sw/batches.ts';
import { states } from './sw/states.ts';

export const texts = { ...base, ...states, ...batches };
