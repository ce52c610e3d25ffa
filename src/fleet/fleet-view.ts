import type { Placement } from './placement.ts';
import { fairShare, type Loads, leastLoad, loadOf, surplusOf } from './share.ts';

/** In one step, a worker takes or hands over this part of its share, so that no account waits long for a worker. */
const stepsPerShare = 4;

/** What a worker knows of the whole fleet, as it was last read. */
export interface FleetView {
  read(from: Pick<Placement, 'workers'>): Promise<void>;
  /** The accounts of the configuration. */
  accounts(): string[];
  /** Whether another worker may take accounts. */
  hasOthers(): boolean;
  /** How many accounts are taken or handed over in one step. */
  accountsPerStep(): number;
  /** Whether a worker with these accounts has its share. */
  isShare(accounts: readonly string[]): boolean;
  /** Those of a worker's accounts that others should have. */
  surplusOf(accounts: readonly string[]): string[];
}

export function makeFleetView(name: string, readLoads: () => Promise<Loads>): FleetView {
  let loads: Loads = new Map();
  let others: readonly string[] = [];
  const share = () => fairShare(loads, others.length + 1);
  const accountsPerStep = () => Math.max(1, Math.ceil(loads.size / (others.length + 1) / stepsPerShare));
  return {
    async read(from) {
      loads = await readLoads();
      others = (await from.workers()).filter((worker) => worker !== name);
    },
    accounts: () => [...loads.keys()],
    hasOthers: () => others.length > 0,
    accountsPerStep,
    isShare: (accounts) => loadOf(accounts, loads) >= share(),
    surplusOf: (accounts) =>
      surplusOf(accounts, loads, {
        share: share(),
        least: leastLoad(loads, others),
        accountsMax: accountsPerStep(),
      }),
  };
}
