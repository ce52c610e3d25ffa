/** The parts of a template of run ids: texts, the job's name, and the slot's time in a format. */
type Part = { text: string } | { job: true } | { slot: string };

const field = /yyyy|MM|dd|HH|mm/g;

/** Null where a `{...}` is none that is known. */
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

/** The run id of a slot: times are those of the job's own time zone. Characters that a run id cannot have become "-". */
export function runIdOfSlot(template: string, job: string, dueAt: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  const now = Object.fromEntries(format.formatToParts(dueAt).map(({ type, value }) => [type, value]));
  const values: Record<string, string | undefined> = {
    yyyy: now.year,
    MM: now.month,
    dd: now.day,
    HH: now.hour,
    mm: now.minute,
  };
  const text = (runIdParts(template) ?? [])
    .map((part) => {
      if ('text' in part) return part.text;
      return 'job' in part ? job : part.slot.replace(field, (name) => values[name] ?? '');
    })
    .join('');
  return text.replace(/[^A-Za-z0-9._-]+/g, '-').slice(0, 64);
}
