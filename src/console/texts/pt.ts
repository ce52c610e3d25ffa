import { approval } from './pt/approval.ts';
import { base } from './pt/base.ts';
import { batch } from './pt/batch.ts';
import { batches } from './pt/batches.ts';
import { events } from './pt/events.ts';
import { rows } from './pt/rows.ts';
import { situation } from './pt/situation.ts';
import { states } from './pt/states.ts';

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
