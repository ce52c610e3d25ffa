import { defaultPolling } from './polling.ts';

/** Settings of the engine, in milliseconds or rows. These values are safe. */
export const defaultEngineSettings = {
  ...defaultPolling,
  /** How long a lease lasts without renewal. The account of a crashed runner is free after this time. */
  leaseTtlMs: 15_000,
  /** Rows that one admission of the limiter sends; the last of a batch, up to twice as many. */
  rowsPerAdmission: 1,
  /** Jobs that wait in the limiter: enough that it never idles, few enough that an urgent row need not wait. */
  jobsWaitingMax: 24,
  /**
   * In batches of at most this many rows, each completed row is read once for its details (provider reference): half of
   * the read limit of two minutes.
   */
  detailRowsMax: 300,
  /** The longest wait between attempts while the service is unreachable. */
  unreachableWaitMsMax: 60_000,
  /** Whether batches that wait for money resume when the balance rises. */
  resumeWhenFunded: false,
};
export type EngineSettings = typeof defaultEngineSettings;
