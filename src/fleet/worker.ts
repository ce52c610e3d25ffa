import type { Clock } from '../core/time/clock.ts';
import { type FleetView, makeFleetView } from './fleet-view.ts';
import { type HeldAccounts, makeHeldAccounts, type PlacedAccount } from './held-accounts.ts';
import type { Placement } from './placement.ts';
import type { Loads } from './share.ts';

export interface WorkerDeps {
  /** Names this worker, in the placement and in leases. */
  name: string;
  clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** Connects to the placement; called again after an error. `isCounted`: whether others count on this worker. */
  open: (isCounted: boolean) => Promise<Placement>;
  /** Whether this machine cannot reach the service of the account. */
  isCutOff: (account: string) => boolean;
  /** How much work each account of the configuration is now, and who works for it. */
  loads: () => Promise<Loads>;
  /** Begins to work for an account. */
  start: (account: string) => PlacedAccount;
  /** Called after each round: with the error that keeps accounts from being placed, or null. */
  onRound: (error: unknown) => void;
}

export interface Worker {
  /** Hands all accounts over. Resolves when the last request in flight has its outcome. */
  stop(): Promise<void>;
}

/** How often accounts that wait for a worker are looked for: a worker with less than its share looks more often. */
const lookMs = 250;
const fullLookMs = 500;
/** A worker loses its accounts after 10 s of silence. */
const renewMs = 4_000;
const balanceMs = 5_000;
/** How often accounts are proposed, in case the placement has lost its tables. */
const proposeMs = 30_000;
/** How long a worker that cannot reach a service waits for others to notice that the service itself is away. */
const othersNoticeMs = 2_000;
/** How long to wait after an error. */
const troubleMs = 1_000;

/**
 * Works for the accounts that are placed on this worker, until it is stopped. An account that waits is taken by any
 * worker at once; a worker with more than its share hands accounts over afterwards. While accounts cannot be placed,
 * those that run here go on.
 *
 * A worker that cannot reach a service takes no accounts, and is not counted. If others still are two seconds later, it
 * gives up the accounts there. If no worker is counted, the service itself is away: then everybody takes accounts, and
 * keeps them.
 */
export function startWorker({ name, clock, open, isCutOff, start, onRound, ...deps }: WorkerDeps): Worker {
  let isStopping = false;
  let giveUpAt = Number.POSITIVE_INFINITY;
  const connection = makeConnection(open);
  const fleet = makeFleetView(name, deps.loads);
  const { isDue, nextIn } = makeDueTimes(clock);
  const held = makeHeldAccounts({
    start,
    async release(claim) {
      nextIn('take', balanceMs);
      await connection.present()?.release(claim);
    },
  });

  const balance = async (at: Placement) => {
    await fleet.read(at);
    if (isDue('propose')) {
      await at.propose(fleet.accounts());
      nextIn('propose', proposeMs);
    }
    const surplus = fleet.surplusOf(held.staying());
    // It leaves what waits to the others, also once its own accounts are free.
    if (surplus.length > 0) nextIn('take', balanceMs);
    held.handOver(surplus);
    nextIn('balance', balanceMs);
  };

  /** Returns how long to wait until the next round (ms). */
  const round = async (): Promise<number> => {
    const isFit = !fleet.accounts().some(isCutOff);
    const placement = await connection.get(isFit);
    if (!isFit && giveUpAt === Number.POSITIVE_INFINITY) nextIn('balance', othersNoticeMs);
    giveUpAt = isFit ? Number.POSITIVE_INFINITY : Math.min(giveUpAt, clock.monotonic() + othersNoticeMs);
    if (!isStopping && isDue('balance')) await balance(placement);
    const isLeft = !isFit && fleet.hasOthers();
    if (isLeft && clock.monotonic() >= giveUpAt) held.giveUp(isCutOff);
    const isMore = !isStopping && !isLeft && isDue('take') && (await take(placement, fleet, held));
    // An account that is placed here anew is renewed under its new claim.
    if (isDue('renew')) {
      await held.renew(placement);
      nextIn('renew', renewMs);
    }
    if (isStopping) held.handOver(held.staying());
    onRound(null);
    if (fleet.isShare(held.staying())) return fullLookMs;
    return isMore ? 0 : lookMs;
  };

  const recover = async (error: unknown): Promise<number> => {
    onRound(error);
    await connection.end();
    nextIn('balance', 0);
    nextIn('propose', 0);
    return troubleMs;
  };
  const work = async () => {
    while (!isStopping || !held.isEmpty()) await clock.sleep(await round().catch(recover));
    await connection.end();
  };
  const ended = work();
  return {
    async stop() {
      isStopping = true;
      held.handOver(held.staying());
      await ended;
    },
  };
}

/** Takes accounts that wait for a worker. Returns whether there may be more. */
async function take(from: Placement, fleet: FleetView, held: HeldAccounts): Promise<boolean> {
  const accountsMax = fleet.accountsPerStep();
  const claims = await from.take(accountsMax);
  for (const claim of claims) {
    if (fleet.accounts().includes(claim.account)) held.begin(claim);
    else await from.refuse(claim);
  }
  return claims.length === accountsMax;
}

/** The connection to the placement: made when it is needed, and made anew after an error, or to be counted or not. */
function makeConnection(open: (isCounted: boolean) => Promise<Placement>) {
  let placement: Placement | null = null;
  let wasCounted = true;
  const end = async () => {
    await placement?.close().catch(() => undefined);
    placement = null;
  };
  return {
    present: () => placement,
    async get(isCounted: boolean): Promise<Placement> {
      if (isCounted !== wasCounted) await end();
      wasCounted = isCounted;
      placement ??= await open(isCounted);
      return placement;
    },
    end,
  };
}

type Step = 'take' | 'renew' | 'balance' | 'propose';

/** When each step is due next. At first all are. */
function makeDueTimes(clock: Pick<Clock, 'monotonic'>) {
  const dueAt = new Map<Step, number>();
  return {
    isDue: (step: Step) => clock.monotonic() >= (dueAt.get(step) ?? 0),
    nextIn: (step: Step, ms: number) => void dueAt.set(step, clock.monotonic() + ms),
  };
}
