/**
 * How often the engine polls, in milliseconds: the service's list and single payments, and changes of other processes
 * in the ledger. Webhooks and wake-ups make it look earlier.
 */
export const defaultPolling = {
  /** How often changes by other processes are looked for, for all accounts of this process at once. */
  idlePollMs: 1_000,
  /** The same if the ledger is on a server, whose notices tell of most changes. */
  noticedPollMs: 5_000,
  /** How often a loop of an account with open batches looks although nothing has woken it and nothing is due. */
  openPollMs: 30_000,
  /** The least time between two rounds of a loop that every change wakes. */
  roundMsMin: 100,

  /** Rows that are due to be sent go before reads, but delay them by so much at most. */
  readsDelayedMsMax: 4_000,
  /** How long a newly accepted row is followed by list pages before it is read separately. */
  listFollowMs: 120_000,
  /**
   * While rows are being sent: how long a row that should have settled waits for others to fill a list page. At 60 a
   * minute, one read then shows about ten ends. An end is seen within ten seconds, even if its row settles a second
   * faster than most.
   */
  listPatienceMs: 9_000,
  /**
   * While rows are being sent, reads of the list are this far apart. For the last rows they are closer: as far apart as
   * rows usually take to settle, but at least `lastReadsMsMin`, and at least this share of the time for which a row has
   * been waited for.
   */
  listReadsMs: 1_000,
  lastReadsMsMin: 10,
  lastReadsShare: 1 / 4,
  /** How far apart reads are while several pages of ended rows are waiting to be read. */
  backlogReadsMs: 100,
  /**
   * A listed row that has not ended is read with the others up to this age. After that it is read separately, after
   * this share of its age, and at the latest after `oldReadsMsMax`: the longer a row has been waited for, the less a
   * short delay matters.
   */
  youngMsMax: 24_000,
  oldReadsShare: 1 / 8,
  oldReadsMsMax: 30_000,

  /**
   * If webhooks arrive: after this delay a webhook counts as lost, while rows are being sent, and for the last rows of
   * a batch.
   */
  webhookGraceMs: 8_000,
  lastWebhookGraceMs: 1_000,

  /** Reads of a single row: the first one this long after acceptance, then at growing intervals up to the longest. */
  readDelayMsMin: 2_000,
  readDelayMsMax: 60_000,
  /** How long to wait after a failed read. */
  readRetryMs: 5_000,

  /** How often the balance is read while batches wait for money. */
  fundsLookMs: 60_000,
  /**
   * How long after their end rows are read again, and also the span of time in which rows end that are read together;
   * and how often batches with such rows are looked for.
   */
  rereadAfterMs: 24 * 3_600_000,
  rereadLookMs: 15 * 60_000,
  /**
   * Without a list, the rows are read one by one, with this interval: a quarter of the 120 reads a minute that Version
   * 1 allows. The rest is for rows that have not ended.
   */
  rereadApartMs: 2_000,
};
export type PollingSettings = typeof defaultPolling;
