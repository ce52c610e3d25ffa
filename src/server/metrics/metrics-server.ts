import fastify, { type FastifyInstance } from 'fastify';
import { sendingStates } from '../../core/state/batch-state.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { answerUnroutedByCode } from '../base/unrouted.ts';
import { type AccountHere, readAccounts, type SeenClosed, setAccountMetrics } from './account-metrics.ts';
import { setBalanceMetrics } from './balance-metrics.ts';
import { countedBatches, setBatchMetrics } from './batch-metrics.ts';
import { addProcessMetrics, type Metrics } from './metrics.ts';
import {
  type JobInShort,
  setBackupMetrics,
  setJobMetrics,
  setUpkeepMetrics,
  type UpkeepHere,
} from './upkeep-metrics.ts';

export interface MetricsDeps {
  db: Database;
  clock: Clock;
  ledgerPath: string;
  /** The folder of the backups; null: none is configured. */
  backups: string | null;
  metrics: Metrics;
  accounts: () => AccountHere[];
  jobs: () => readonly JobInShort[];
  upkeep: () => UpkeepHere;
}

/**
 * Makes a separate server for `GET /metrics` (Prometheus), since metrics name accounts and their balances, and the
 * webhook server is open to the internet. Each request reads the ledger anew. The work grows with the accounts, the
 * open batches and the rows that the service has now, never with the rows of the ledger.
 */
export function makeMetricsServer(deps: MetricsDeps): FastifyInstance {
  const app = fastify({ forceCloseConnections: 'idle' });
  answerUnroutedByCode(app);
  const { registry } = deps.metrics;
  addProcessMetrics(deps.metrics);
  const seen: SeenClosed = new Map();
  // Two scrapers that ask at the same time get the same answer: one must not clear what the other has just read.
  let running: Promise<string> | null = null;
  const scrape = async () => {
    await fill(deps, seen);
    return registry.metrics();
  };
  app.get('/metrics', async (_request, reply) => {
    running ??= scrape().finally(() => {
      running = null;
    });
    return reply.type(registry.contentType).send(await running);
  });
  return app;
}

async function fill(
  { metrics, db, clock, ledgerPath, backups, ...here }: MetricsDeps,
  seen: SeenClosed,
): Promise<void> {
  const { set } = metrics;
  const accounts = here.accounts();
  metrics.clear();
  const now = clock.now();
  const known = await readAccounts(db, now);
  const batches = await countedBatches(db);
  const ready = new Map<string, number>();
  for (const { account, counts } of batches) ready.set(account, (ready.get(account) ?? 0) + (counts.get('ready') ?? 0));
  const readyOf = (account: string) => ready.get(account) ?? 0;
  await setBatchMetrics(set, db, { batches, isWorkedOn: known.isWorkedOn, now });
  const sending = batches.filter(({ status, counts }) => sendingStates.includes(status) && counts.has('ready'));
  const senders = new Set(sending.map(({ account }) => account));
  const isSending = (account: string) => senders.has(account);
  await setAccountMetrics(set, db, { accounts, known, readyOf, isSending, seen, now });
  await setBalanceMetrics(set, db, { accounts, batches, paceOf: known.paceOf, now });
  await setJobMetrics(set, db, here.jobs(), now);
  await setUpkeepMetrics(set, { db, clock, ledgerPath }, here.upkeep());
  if (backups !== null) await setBackupMetrics(set, { place: backups, ledgerPath, now });
}
