import { defaultPolling, type PollingSettings } from './polling.ts';

/** Settings of the engine, in milliseconds or rows. The defaults are safe. */
export interface EngineSettings extends PollingSettings {
  /** How long a lease lasts without renewal. The account of a crashed runner is free after this time. */
  leaseTtlMs: number;
  /** Rows that one admission of the limiter sends; the last of a batch, up to twice as many. */
  rowsPerAdmission: number;
  /** Jobs that wait in the limiter: enough that it never idles, few enough that an urgent row need not wait. */
  jobsWaitingMax: number;
  /**
   * In batches of at most this many rows, each completed row is read once for its details (provider reference): half of
   * the read limit of two minutes.
   */
  detailRowsMax: number;
  /** The longest wait between attempts while the service is unreachable. */
  unreachableWaitMsMax: number;
  /** Whether batches that wait for money resume when the balance rises. */
  resumeWhenFunded: boolean;
}

export const defaultEngineSettings: EngineSettings = {
  ...defaultPolling,
  leaseTtlMs: 15_000,
  rowsPerAdmission: 1,
  jobsWaitingMax: 24,
  detailRowsMax: 300,
  unreachableWaitMsMax: 60_000,
  resumeWhenFunded: false,
};
