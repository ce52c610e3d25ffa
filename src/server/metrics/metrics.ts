import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Clock } from '../../core/time/clock.ts';
import type { OnAnswered } from '../../gateway/transport/service-call.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { type MetricDefinition, type MetricName, metricTable } from './metric-table.ts';

/** What became of a webhook, or why it was refused. */
export type Reception = { result: 'stored' | 'repeated' | 'not_stored' | 'unreadable' } | { refused: string };

/** Sets a metric that is read anew for each scrape. */
export type SetMetric = (name: MetricName, value: number, labels?: Readonly<Record<string, string>>) => void;

/** The metrics of this process. */
export interface Metrics {
  registry: Registry;
  set: SetMetric;
  /** Removes the values that are read anew for each scrape. */
  clear(): void;
  /** Counts the requests of an account. */
  onAnswered(account: string): OnAnswered;
  onReceived(account: string, reception: Reception): void;
  /** The same ledger; the time of each transaction is observed. */
  observed(db: Database): Database;
}

export function makeMetrics(clock: Pick<Clock, 'monotonic'>): Metrics {
  const registry = new Registry();
  const gauges = new Map<string, Gauge>();
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const kept: Counter[] = [];
  for (const [key, { type, help, labels, buckets = [] }] of Object.entries<MetricDefinition>(metricTable)) {
    const options = { name: `airbatch_${key}`, help, labelNames: [...labels], registers: [registry] };
    if (type === 'histogram') histograms.set(key, new Histogram({ ...options, buckets: [...buckets] }));
    else if (type === 'gauge') gauges.set(key, new Gauge(options));
    else counters.set(key, new Counter(options));
    if (type === 'kept') kept.push(counters.get(key) as Counter);
  }
  const count = (name: MetricName, labels: Record<string, string>, by = 1) => counters.get(name)?.inc(labels, by);
  const observe = (name: MetricName, ms: number, labels: Record<string, string> = {}) =>
    histograms.get(name)?.observe(labels, ms / 1_000);
  return {
    registry,
    set(name, value, labels = {}) {
      if (gauges.has(name)) gauges.get(name)?.set(labels, value);
      else count(name, labels, value);
    },
    clear() {
      for (const metric of [...gauges.values(), ...kept]) metric.reset();
    },
    onAnswered: (account) => (requestClass, result, tookMs) => {
      observe('request_duration_seconds', tookMs, { class: requestClass, result });
      if (result === 'throttled') count('requests_throttled_total', { account });
    },
    onReceived(account, reception) {
      if ('refused' in reception) count('webhooks_refused_total', { account, cause: reception.refused });
      else count('webhooks_received_total', { account, result: reception.result });
    },
    observed: (db) => ({
      ...db,
      async transact(work, options) {
        const begunAt = clock.monotonic();
        const result = await db.transact(work, options);
        observe('ledger_commit_duration_seconds', clock.monotonic() - begunAt);
        return result;
      },
    }),
  };
}

/** Adds the metrics of the process itself: memory, processor time, event loop. They are measured from now on. */
export function addProcessMetrics({ registry }: Pick<Metrics, 'registry'>): void {
  collectDefaultMetrics({ register: registry });
}
