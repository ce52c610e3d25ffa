import { approval } from './fr/approval.ts';
import { base } from './fr/base.ts';
import { batch } from './fr/batch.ts';
import { batches } from './fr/batches.ts';
import { events } from './fr/events.ts';
import { rows } from './fr/rows.ts';
import { situation } from './fr/situation.ts';
import { states } from './fr/states.ts';

export const texts = {
  ...approval,
  ...base,
  ...batch,
  ...batches,
  ...events,
  ...rows,
  ...situation,
  ...states,
};
