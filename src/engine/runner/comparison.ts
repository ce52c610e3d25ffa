/** A payment of the service's list that has a reference. */
export interface Listed {
  topupId: string;
  reference: string;
}

/** What the service shows that the ledger may lack: read once, when this runner first has something to send. */
export interface ServiceView {
  /** The payments on the newest page of the list that have a reference. */
  listed: readonly Listed[];
  /** Whether the service has no payments but those. */
  isAll: boolean;
}

/** What a runner has compared so far, and what with. */
export interface Comparison {
  view: Promise<ServiceView | null> | null;
  /** By batch; true where the ledger has shown itself not to be an older copy. */
  batches: Map<string, Promise<boolean>>;
}

export function makeComparison(): Comparison {
  return { view: null, batches: new Map() };
}
