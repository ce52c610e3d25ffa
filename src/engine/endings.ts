import type { ServicePayment } from '../gateway/gateway.ts';

/** What is seen of how payments end while a runner lives: how long they take, and whether webhooks tell of it. */
export interface Endings {
  /** The list told of an end. `acceptedAt` is what the ledger holds for the payment's creation (epoch ms). */
  noteListed(payment: ServicePayment, acceptedAt: number | null): void;
  /** A webhook told of an end before anything else did; null where it did not tell all of the payment. */
  noteWebhook(payment: ServicePayment | null, acceptedAt: number | null): void;
  /** How long after its acceptance a payment can be expected to have ended (ms); null until enough of them were seen. */
  usualMs(): number | null;
  /** Whether most of the latest ends were told by webhooks. */
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

export function makeEndings(): Endings {
  const tookMs: number[] = [];
  let told = 0;
  let same = false;

  const note = ({ createdAt, completedAt }: ServicePayment, acceptedAt: number | null): void => {
    same = createdAt !== null && createdAt === acceptedAt;
    if (createdAt === null || completedAt === null || completedAt < createdAt) return;
    tookMs.push(completedAt - createdAt);
    if (tookMs.length > remembered) tookMs.shift();
  };

  return {
    noteListed(payment, acceptedAt) {
      note(payment, acceptedAt);
      told -= told * weight;
    },
    noteWebhook(payment, acceptedAt) {
      if (payment) note(payment, acceptedAt);
      told += (1 - told) * weight;
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
