import type { ServicePayment } from '../../gateway/contract/gateway.ts';

/** Statistics of how payments settle while a runner lives: how long they take, and whether webhooks arrive. */
export interface SettlementStats {
  /** The list showed a terminal state. `acceptedAt` is the payment's creation according to the ledger (epoch ms). */
  noteListed(payment: ServicePayment, acceptedAt: number | null): void;
  /**
   * A webhook was the first to report a terminal state, `ageMs` after acceptance; `payment` is null if it was
   * incomplete.
   */
  noteWebhook(payment: ServicePayment | null, row: { acceptedAt: number | null; ageMs: number }): void;
  /** How long after its acceptance a payment has usually settled (ms); null until enough were seen. */
  usualMs(): number | null;
  /** Whether webhooks reported most of the latest terminal states, and soon. */
  webhooksArrive(): boolean;
  /** Whether the service's creation times equal those of the ledger, to the millisecond. */
  sameTimes(): boolean;
}

/** How many of the latest settlements are kept, and how many are needed before they are used. */
const remembered = 200;
const needed = 20;
/**
 * Covers all but one in twenty payments. Slower ones are read again later, so that the others need not wait for them.
 */
const nearly = 0.95;
/** The longest wait (ms) that slow payments impose on the faster half. */
const behindHalfMsMax = 2_000;
/**
 * A longer time between creation and completion is taken as an error of the service. Such a row is soon read
 * separately.
 */
const usualMsMax = 60_000;
/** The weight of each settlement in the moving average: about a dozen consecutive ones decide. */
const weight = 1 / 20;

/** A webhook that is processed later than this after the settlement counts as lost. */
const promptMs = 2_000;

export function makeSettlementStats(): SettlementStats {
  const tookMs: number[] = [];
  let inTimeShare = 0;
  let same = false;

  const note = (payment: ServicePayment, acceptedAt: number | null): void => {
    same = payment.createdAt !== null && payment.createdAt === acceptedAt;
    const duration = durationOf(payment);
    if (duration === null) return;
    tookMs.push(duration);
    if (tookMs.length > remembered) tookMs.shift();
  };

  return {
    noteListed(payment, acceptedAt) {
      note(payment, acceptedAt);
      inTimeShare -= inTimeShare * weight;
    },
    noteWebhook(payment, { acceptedAt, ageMs }) {
      if (payment) note(payment, acceptedAt);
      const duration = payment && durationOf(payment);
      const isLate = duration !== null && ageMs - duration > promptMs;
      inTimeShare += ((isLate ? 0 : 1) - inTimeShare) * weight;
    },
    usualMs() {
      if (tookMs.length < needed) return null;
      const sorted = tookMs.toSorted((a, b) => a - b);
      const within = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
      return Math.min(within(nearly), within(1 / 2) + behindHalfMsMax, usualMsMax);
    },
    webhooksArrive: () => inTimeShare > 1 / 2,
    sameTimes: () => same,
  };
}

/** How long a payment took, by the service's own clock. */
function durationOf({ createdAt, completedAt }: ServicePayment): number | null {
  if (createdAt === null || completedAt === null || completedAt < createdAt) return null;
  return completedAt - createdAt;
}
