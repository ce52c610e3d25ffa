import { base } from './en/base.ts';
import { batches } from './en/batches.ts';
import { states } from './en/states.ts';

export const texts = { ...base, ...states, ...batches };
