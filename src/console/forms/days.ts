/** A day in the reader's zone, as an input has it: `2026-11-26`. */
export type Day = string;

export function dayOf(ms: number): Day {
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

/** When a day begins in the reader's zone (epoch ms). */
export function startOf(day: Day): number {
  return Date.parse(`${day}T00:00`);
}

/** When it ends. A day on which clocks are changed has 23 or 25 hours. */
export function endOf(day: Day): number {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  return new Date(year, month - 1, date + 1).getTime();
}
