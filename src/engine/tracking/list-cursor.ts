/** A time before all times in a ledger (epoch ms). */
export const never = 0;

/** How far a runner has read the service's list. Times are epoch ms. */
export interface ListCursor {
  /** The list was read for all followed rows that were created until then. */
  covered: number;
  /** When the list was last read for young rows, and for old rows. */
  readAt: number;
  oldReadAt: number;
  /** When the last read ended, and until when to wait if it failed. */
  lookedAt: number;
  troubleUntil: number;
}

export function makeListCursor(): ListCursor {
  return { covered: never, readAt: never, oldReadAt: never, lookedAt: never, troubleUntil: never };
}
