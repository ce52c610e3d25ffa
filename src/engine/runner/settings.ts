/** Settings of the engine, in milliseconds or rows. The defaults are safe. */
export interface EngineSettings {
  /** How long a lease lasts without renewal. The account of a crashed runner is free after this time. */
  leaseTtlMs: number;
  /** Rows that one admission of the limiter sends: more than 1 only if the account's limit is high. */
  rowsPerAdmission: number;
  /** Jobs that wait in the limiter: enough that it never idles, few enough that an urgent row need not wait. */
  jobsWaitingMax: number;
  /** How often the runner looks for changes by other processes. */
  idlePollMs: number;
  /** How long a newly accepted row is followed by list pages before it is read by itself. */
  listFollowMs: number;
  /** While more is sent: how long a row that should have settled waits until it fills a list page with others. */
  listPatienceMs: number;
  /** If webhooks arrive: after how long one counts as lost, while more is sent, and for the last rows of a batch. */
  webhookGraceMs: number;
  lastWebhookGraceMs: number;
  /** The shortest and the longest time between two reads of the list. */
  pollMsMin: number;
  pollMsMax: number;
  /** Reads of single rows: the first one after acceptance, then in growing steps up to the longest. */
  readDelayMsMin: number;
  readDelayMsMax: number;
  /** In batches of at most this many rows, each completed row is read once for its details (provider reference). */
  detailRowsMax: number;
  /** How long to wait after a failed read. */
  readRetryMs: number;
  /** The longest wait between attempts while the service is unreachable. */
  unreachableWaitMsMax: number;
  /** Whether batches that wait for money resume when the balance rises, and how often it is read. */
  resumeWhenFunded: boolean;
  fundsLookMs: number;
  /** How long after its end a batch is read again, and how often due batches are looked for. */
  rereadAfterMs: number;
  rereadLookMs: number;
  /** Without a list, the rows of such a batch are read one by one, this far apart. */
  rereadApartMs: number;
}

export const defaultEngineSettings: EngineSettings = {
  leaseTtlMs: 15_000,
  rowsPerAdmission: 1,
  jobsWaitingMax: 24,
  idlePollMs: 1_000,
  listFollowMs: 120_000,
  listPatienceMs: 3_000,
  webhookGraceMs: 8_000,
  lastWebhookGraceMs: 1_000,
  pollMsMin: 1_000,
  pollMsMax: 30_000,
  readDelayMsMin: 2_000,
  readDelayMsMax: 60_000,
  detailRowsMax: 1_000,
  readRetryMs: 5_000,
  unreachableWaitMsMax: 60_000,
  resumeWhenFunded: false,
  fundsLookMs: 60_000,
  rereadAfterMs: 24 * 3_600_000,
  rereadLookMs: 15 * 60_000,
  // A quarter of the 120 reads a minute that Version 1 allows: the rest is for rows that are not at their end.
  rereadApartMs: 2_000,
};
