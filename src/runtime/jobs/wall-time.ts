/** The local clock of a time zone. Its reading is written as the epoch milliseconds of the same reading in UTC. */
export interface WallTime {
  /** What the clock shows at a moment (epoch ms). */
  wallAt(epochMs: number): number;
  /**
   * The first moment (epoch ms) at which the clock shows this reading or a later one. A reading that daylight saving
   * skips is right after the gap; a reading that occurs twice is the first.
   */
  firstAt(wallMs: number): number;
}

/**
 * The clock's offset changes at most once within this time before and after any moment: zones change it some weeks
 * apart.
 */
const changeMs = 24 * 3_600_000;
/** No zone changes its offset within a minute. */
const minuteMs = 60_000;

/** Kept, because creating a format takes longer than everything that is done with it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

export function makeWallTime(timeZone: string): WallTime {
  const format = formatOf(timeZone);
  const wallAt = (epochMs: number): number => {
    const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    for (const { type, value } of format.formatToParts(epochMs)) parts[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
    const belowSecond = ((epochMs % 1_000) + 1_000) % 1_000;
    return Date.UTC(year, month - 1, day, hour, minute, second) + belowSecond;
  };
  const offsetAt = (epochMs: number): number => wallAt(epochMs) - epochMs;

  return {
    wallAt,
    firstAt(wallMs) {
      const before = wallMs - offsetAt(wallMs - changeMs);
      const after = wallMs - offsetAt(wallMs + changeMs);
      for (const candidate of [before, after]) if (wallAt(candidate) === wallMs) return candidate;
      // The reading is skipped. The change lies between the two moments: at `after` the clock still shows less, at
      // `before` more.
      let [less, more] = [after, before];
      while (more - less > minuteMs) {
        const middle = Math.floor((less + more) / 2);
        if (wallAt(middle) < wallMs) less = middle;
        else more = middle;
      }
      return Math.floor(more / minuteMs) * minuteMs;
    },
  };
}

/** What the local clock of a time zone shows at a moment (epoch ms), as "2026-11-25T09:00". */
export function wallText(epochMs: number, timeZone: string): string {
  return new Date(makeWallTime(timeZone).wallAt(epochMs)).toISOString().slice(0, 16);
}
