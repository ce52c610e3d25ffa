/** A longer time without an open payment is a break (ms), as the report format defines. */
const breakMs = 120_000;

/** Whether a row's payment is sent or followed after an event of this kind; other kinds change nothing. */
const followedAfter: ReadonlyMap<string, boolean> = new Map([
  ...['row.send', 'row.doubt', 'row.accept', 'row.adopt'].map((kind) => [kind, true] as const),
  // `row.review`: earlier versions' name of `row.escalate`.
  ...['row.unsent', 'row.escalate', 'row.review', 'row.complete', 'row.fail'].map((kind) => [kind, false] as const),
]);

/** How long payments were sent or followed, according to the chain. */
export interface ActiveTime {
  /** In milliseconds. */
  total(): number;
  /** Counts an event of a row; `at`: epoch ms. */
  note(rowNo: number, kind: string, at: number): void;
}

export function makeActiveTime(): ActiveTime {
  const followed = new Set<number>();
  let total = 0;
  let lastAt: number | null = null;
  return {
    total: () => total,
    note(rowNo, kind, at) {
      const isFollowed = followedAfter.get(kind);
      if (isFollowed === undefined) return;
      const passedMs = lastAt === null ? 0 : Math.max(0, at - lastAt);
      if (followed.size > 0 || passedMs <= breakMs) total += passedMs;
      lastAt = Math.max(at, lastAt ?? at);
      if (isFollowed) followed.add(rowNo);
      else followed.delete(rowNo);
    },
  };
}
