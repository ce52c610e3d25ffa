import { isRunId } from '../../core/identity/ids.ts';
import { wallText } from './wall-time.ts';

/** The parts of a template of run ids: texts, the job's name, and the slot's time in a format. */
type Part = { text: string } | { job: true } | { slot: string };

const field = /yyyy|MM|dd|HH|mm/g;

/** Null if a `{...}` is not known. */
export function runIdParts(template: string): Part[] | null {
  const parts: Part[] = [];
  for (const [, braced, text] of template.matchAll(/\{([^}]*)\}|([^{]+)/g)) {
    if (text !== undefined) parts.push({ text });
    else if (braced === 'job') parts.push({ job: true });
    else if (braced?.startsWith('slot:') && braced.slice(5).match(field)) parts.push({ slot: braced.slice(5) });
    else return null;
  }
  return parts;
}

/** The run id of a slot. Times are in the job's own time zone. Characters that a run id cannot contain become "-". */
export function runIdOfSlot(template: string, job: string, dueAt: number, timeZone: string): string {
  const [date = '', time = ''] = wallText(dueAt, timeZone).split('T');
  const [yyyy = '', MM = '', dd = ''] = date.split('-');
  const [HH = '', mm = ''] = time.split(':');
  const values: Record<string, string> = { yyyy, MM, dd, HH, mm };
  const text = (runIdParts(template) ?? [])
    .map((part) => {
      if ('text' in part) return part.text;
      return 'job' in part ? job : part.slot.replace(field, (name) => values[name] ?? '');
    })
    .join('');
  return text.replace(/[^A-Za-z0-9._-]+/g, '-');
}

/** Whether a template makes valid run ids. One example is enough: all its times have the same length. */
export function makesRunIds(template: string, job: string): boolean {
  return isRunId(runIdOfSlot(template, job, 0, 'UTC'));
}
