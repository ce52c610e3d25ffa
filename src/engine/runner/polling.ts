/**
 * How often the engine asks for what nobody tells it, in milliseconds: the service's list and single payments, and what
 * other processes change in the ledger. Webhooks and wake-ups make it look sooner.
 */
export interface PollingSettings {
  /** How often a loop looks for changes by other processes. */
  idlePollMs: number;
  /** The least time between two rounds of a loop that every change wakes. */
  roundMsMin: number;

  /** How long a newly accepted row is followed by list pages before it is read by itself. */
  listFollowMs: number;
  /** While more is sent: how long a row that should have settled waits until it fills a list page with others. */
  listPatienceMs: number;
  /**
   * While more is sent, reads of the list are this far apart. For the last rows they are closer: as far apart as rows
   * usually take, but at least `lastReadsMsMin`, and this share of the time that one of them has been waited for.
   */
  listReadsMs: number;
  lastReadsMsMin: number;
  lastReadsShare: number;
  /** Reads are this far apart while pages of ended rows wait to be read. */
  backlogReadsMs: number;
  /**
   * A listed row that has not ended is looked for with the others until it is this old; then by itself, after this
   * share of its age, and at the latest after `oldReadsMsMax`.
   */
  youngMsMax: number;
  oldReadsShare: number;
  oldReadsMsMax: number;

  /** If webhooks arrive: after how long one counts as lost, while more is sent, and for the last rows of a batch. */
  webhookGraceMs: number;
  lastWebhookGraceMs: number;

  /** Reads of single rows: the first one after acceptance, then in growing steps up to the longest. */
  readDelayMsMin: number;
  readDelayMsMax: number;
  /** How long to wait after a failed read. */
  readRetryMs: number;

  /** How often the balance is read while batches wait for money. */
  fundsLookMs: number;
  /** How long after its end a batch is read again, and how often due batches are looked for. */
  rereadAfterMs: number;
  rereadLookMs: number;
  /** Without a list, the rows of such a batch are read one by one, this far apart. */
  rereadApartMs: number;
}

export const defaultPolling: PollingSettings = {
  idlePollMs: 1_000,
  roundMsMin: 100,
  listFollowMs: 120_000,
  listPatienceMs: 3_000,
  listReadsMs: 1_000,
  lastReadsMsMin: 10,
  lastReadsShare: 1 / 4,
  backlogReadsMs: 100,
  youngMsMax: 24_000,
  // The longer a row has been waited for, the less a moment more or less matters.
  oldReadsShare: 1 / 8,
  oldReadsMsMax: 30_000,
  webhookGraceMs: 8_000,
  lastWebhookGraceMs: 1_000,
  readDelayMsMin: 2_000,
  readDelayMsMax: 60_000,
  readRetryMs: 5_000,
  fundsLookMs: 60_000,
  rereadAfterMs: 24 * 3_600_000,
  rereadLookMs: 15 * 60_000,
  // A quarter of the 120 reads a minute that Version 1 allows: the rest is for rows that are not at their end.
  rereadApartMs: 2_000,
};
