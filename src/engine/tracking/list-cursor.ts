/** A time before all times in a ledger (epoch ms). */
export const never = 0;

/** The position up to which a runner has read the service's list. Times are epoch ms. */
export interface ListCursor {
  /** The list was read for all followed rows that were created up to this time. */
  covered: number;
  /** When the list was last read: for young rows, and for old rows, which are read at longer intervals of their own. */
  youngReadAt: number;
  oldReadAt: number;
  /** The time until which to wait, if the last read failed. */
  troubleUntil: number;
}

export function makeListCursor(): ListCursor {
  return { covered: never, youngReadAt: never, oldReadAt: never, troubleUntil: never };
}
