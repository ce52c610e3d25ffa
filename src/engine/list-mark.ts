/** Before every time that a ledger holds (epoch ms). */
export const never = 0;

/** How far the list was read, while a runner lives. All times in epoch ms. */
export interface ListMark {
  /** No row that was created at the service by then, and is still followed, is new to the list. */
  covered: number;
  /** When the list was read last for young rows, and for old ones. */
  readAt: number;
  oldReadAt: number;
  /** When the last look ended, and until when its trouble asks to wait. */
  lookedAt: number;
  troubleUntil: number;
}

export function makeListMark(): ListMark {
  return { covered: never, readAt: never, oldReadAt: never, lookedAt: never, troubleUntil: never };
}
