/** How the engine behaves; everything in milliseconds or rows. The defaults are the safe ones. */
export interface EngineSettings {
  /** How long a runner holds an account without renewing it. A crashed runner's account is free after this. */
  leaseTtlMs: number;
  /** Rows that one admission of the limiter sends: 1, or more where an account's limit is high. */
  rowsPerAdmission: number;
  /** Jobs that wait in the limiter at once: enough to never let it idle, few enough that a small file need not wait. */
  jobsWaitingMax: number;
  /** How often the ledger is looked at for what other processes did, when nothing else rings. */
  idlePollMs: number;
  /** How long a newly accepted row is followed by list pages before it is asked for by itself. */
  listFollowMs: number;
  /** While more is sent: how long a row that can be expected to have ended waits for others with which it makes a page. */
  listPatienceMs: number;
  /** Where webhooks arrive: how long after that one of them counts as lost, while more is sent, and when the last rows are waited for. */
  webhookGraceMs: number;
  lastWebhookGraceMs: number;
  /** The shortest and the longest time between two polls of the list. */
  pollMsMin: number;
  pollMsMax: number;
  /** Rows asked for by themselves: the first time after acceptance, then in steps growing to the longest. */
  readDelayMsMin: number;
  readDelayMsMax: number;
  /** Batches of at most this many rows have every completed row's details (provider reference) read one by one. */
  detailRowsMax: number;
  /** How long to wait after a read that failed before it is tried again. */
  readRetryMs: number;
  /** The longest pause between attempts while the service cannot be reached. */
  unreachableWaitMsMax: number;
  /** Whether batches that wait for money go on by themselves when the balance is back, and how often that is looked at. */
  resumeWhenFunded: boolean;
  fundsLookMs: number;
  /** How long after its end a batch is read once more, and how often it is looked whether one is due. */
  rereadAfterMs: number;
  rereadLookMs: number;
  /** Where there is no list, the rows of such a batch are asked for one by one, so far apart. */
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
