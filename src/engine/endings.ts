import type { ServicePayment } from '../gateway/gateway.ts';

/** What is seen of how payments end while a runner lives: how long they take, and whether webhooks tell of it. */
export interface Endings {
  /** The list told of an end. `acceptedAt` is what the ledger holds for the payment's creation (epoch ms). */
  noteListed(payment: ServicePayment, acceptedAt: number | null): void;
  /**
   * A webhook told of an end before anything else did, when the row had been accepted for `ageMs`; `payment` is null where it did
   * not tell all of it.
   */
  noteWebhook(payment: ServicePayment | null, row: { acceptedAt: number | null; ageMs: number }): void;
  /** How long after its acceptance a payment can be expected to have ended (ms); null until enough of them were seen. */
  usualMs(): number | null;
  /** Whether most of the latest ends were told by webhooks, and soon. */
  webhooksArrive(): boolean;
  /** Whether the service's times of creation are those of the ledger, to the millisecond. */
  sameTimes(): boolean;
}

/** Of the latest ends, so many are remembered, and so many must have been seen before anything follows from them. */
const remembered = 200;
const needed = 20;
/** "Nearly every": the one in twenty that takes longer is asked for again, so that it costs the others no wait. */
const nearly = 0.95;
/** However long the slow ones take, half of all rows wait no longer than this for them. */
const behindHalfMsMax = 2_000;
/** Beyond this the service's own times are not believed; a row is read by itself soon after. */
const usualMsMax = 60_000;
/** How much each end weighs against those before it: some dozen in a row decide. */
const weight = 1 / 20;

/** A webhook that is taken later than this after the end is no help: it was slow to come, or too many came at once. */
const promptMs = 2_000;

export function makeEndings(): Endings {
  const tookMs: number[] = [];
  let told = 0;
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
      told -= told * weight;
    },
    noteWebhook(payment, { acceptedAt, ageMs }) {
      if (payment) note(payment, acceptedAt);
      const duration = payment && durationOf(payment);
      const isLate = duration !== null && ageMs - duration > promptMs;
      told += ((isLate ? 0 : 1) - told) * weight;
    },
    usualMs() {
      if (tookMs.length < needed) return null;
      const sorted = tookMs.toSorted((a, b) => a - b);
      const within = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0;
      return Math.min(within(nearly), within(1 / 2) + behindHalfMsMax, usualMsMax);
    },
    webhooksArrive: () => told > 1 / 2,
    sameTimes: () => same,
  };
}

/** By the service's own clock. */
function durationOf({ createdAt, completedAt }: ServicePayment): number | null {
  if (createdAt === null || completedAt === null || completedAt < createdAt) return null;
  return completedAt - createdAt;
}
