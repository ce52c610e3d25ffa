import { approval } from './en/approval.ts';
import { base } from './en/base.ts';
import { batch } from './en/batch.ts';
import { batches } from './en/batches.ts';
import { events } from './en/events.ts';
import { rows } from './en/rows.ts';
import { situation } from './en/situation.ts';
import { states } from './en/states.ts';

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
