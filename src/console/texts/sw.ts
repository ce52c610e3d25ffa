import { approval } from './sw/approval.ts';
import { base } from './sw/base.ts';
import { batch } from './sw/batch.ts';
import { batches } from './sw/batches.ts';
import { events } from './sw/events.ts';
import { rows } from './sw/rows.ts';
import { situation } from './sw/situation.ts';
import { states } from './sw/states.ts';

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
