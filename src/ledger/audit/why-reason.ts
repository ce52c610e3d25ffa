import { type ErrorReason, reasonOf } from '../../core/basics/errors.ts';
import { reasonOfWhy } from '../../core/state/event-whys.ts';
import { problemTable } from '../../core/state/problem-table.ts';
import { type AuditEvent, programNames, readData } from './events.ts';

/** The kinds of events for which a person gives the reason, unless a part of the program is the actor. */
const explainedByPeople: readonly string[] = [
  ...['batch.pause', 'batch.pause_added', 'batch.pause_besides', 'batch.cancel', 'batch.forget', 'batch.unlisted'],
  'row.skip',
];

/**
 * Why something happened, in a form that other languages can tell. Null: the event gives no reason, or a person's own
 * words.
 */
export function whyReasonOf({ kind, actor, body }: Pick<AuditEvent, 'kind' | 'actor' | 'body'>): ErrorReason | null {
  const { why, why_reason, detail_reason } = readData(body);
  const stored = why_reason ?? detail_reason;
  if (typeof stored === 'string') return storedReason(stored);
  if (typeof why !== 'string' || (explainedByPeople.includes(kind) && !programNames.includes(actor))) return null;
  // A row that is held or skipped has the code of its problem.
  const problem = why.toUpperCase();
  return problem in problemTable ? reasonOf(problem) : reasonOfWhy(why);
}

/** Null if it is damaged: the rest of the event can still be shown. */
function storedReason(text: string): ErrorReason | null {
  const { code, values } = readData(text);
  return typeof code === 'string' ? reasonOf(code, Object(values)) : null;
}
