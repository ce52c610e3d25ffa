/** Held rows that a person decides about together: the same reason, and the same earlier batch. */
export interface HeldGroup {
  /** The code of the first problem that holds the row; empty if the row has none. */
  code: string;
  /** The batch that the problem names: it has sent, paid or tried the same. Null if the problem names none. */
  earlierBatch: string | null;
}

/** The group of a held row. `problems`: JSON, as in the ledger. Earlier versions did not store the earlier batch. */
export function heldGroupOf({ problems }: { problems: string | null }): HeldGroup {
  const [first] = JSON.parse(problems ?? '[]') as { code: string; earlier_batch?: string }[];
  return { code: first?.code ?? '', earlierBatch: first?.earlier_batch ?? null };
}

/** Whether a held row is in this group. */
export function isInGroup(row: { problems: string | null }, group: HeldGroup): boolean {
  const { code, earlierBatch } = heldGroupOf(row);
  return code === group.code && earlierBatch === group.earlierBatch;
}
