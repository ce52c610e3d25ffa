import fastify, { type FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Clock } from '../core/time/clock.ts';
import { readGate } from '../engine/pacing/account-gate.ts';
import { type Balance, type RequestClass, requestClasses } from '../gateway/contract/gateway.ts';
import {
  batchesLate,
  lastBalances,
  notificationsWaiting,
  oldestUnsettled,
  rowsByState,
  webhooksByOutcome,
} from '../ledger/accounts/gauges.ts';
import { storedPace } from '../ledger/accounts/pace.ts';
import type { Database } from '../ledger/drivers/database.ts';
import { countSlots } from '../ledger/jobs/slots.ts';
import { countDeliveries } from '../ledger/outbox/webhook-deliveries.ts';
import type { RateUsage } from '../limiter/limiter.ts';

export interface MetricsDeps {
  db: Database;
  clock: Clock;
  /** The accounts that this process works for now. `usage` is null until the account has a limiter. */
  accounts: () => { name: string; working: boolean; usage: ((requestClass: RequestClass) => RateUsage) | null }[];
}

/**
 * Makes a separate server for `GET /metrics` (Prometheus), since metrics name accounts and their balances, and the
 * webhook server is open to the internet. Each request reads the ledger anew.
 */
export function makeMetricsServer(deps: MetricsDeps): FastifyInstance {
  const app = fastify({ forceCloseConnections: 'idle' });
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, prefix: 'airbatch_' });
  const gauges = makeGauges(registry);
  app.get('/metrics', async (_request, reply) => {
    await fill(gauges, deps);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
  return app;
}

function makeGauges(registry: Registry) {
  const gauge = (name: string, help: string, labelNames: string[]) =>
    new Gauge({ name: `airbatch_${name}`, help, labelNames, registers: [registry] });
  return {
    rows: gauge('rows', 'Rows of all batches by state.', ['account', 'state']),
    oldest: gauge('oldest_unsettled_seconds', 'Age of the oldest row that was sent and has not ended.', ['account']),
    inDoubt: gauge('rows_in_doubt', 'Rows for which it is unknown whether they were paid.', ['account']),
    late: gauge('batches_late', 'Open batches that are late, or forecast to be.', ['account', 'state']),
    balance: gauge('balance', 'Balance of a wallet when it was last read.', ['account', 'wallet', 'currency']),
    used: gauge('rate_used', 'Requests of ours in the last window.', ['account', 'class']),
    allowed: gauge('rate_allowed', 'Requests that the service allows in a window.', ['account', 'class']),
    working: gauge('account_working', '1 where this process works for the account.', ['account']),
    closed: gauge('account_closed', '1 for each reason why an account may not send now.', ['account', 'why']),
    webhooks: gauge('webhooks', 'Webhooks received, by what became of them.', ['account', 'outcome']),
    slots: gauge('job_slots', 'Slots of jobs by state.', ['job', 'state']),
    deliveries: gauge('webhook_deliveries', 'Webhooks to other programs in the log, by what became of them.', [
      'outcome',
    ]),
    notifications: gauge('notifications_waiting', 'Notifications that are still to be sent.', []),
  };
}

async function fill(gauges: ReturnType<typeof makeGauges>, { db, clock, accounts }: MetricsDeps): Promise<void> {
  for (const gauge of Object.values(gauges)) gauge.reset();
  for (const { account, state, count } of await rowsByState(db)) {
    gauges.rows.set({ account, state }, count);
    if (state === 'in_doubt') gauges.inDoubt.set({ account }, count);
  }
  for (const { account, at } of await oldestUnsettled(db))
    gauges.oldest.set({ account }, Math.max(0, (clock.now() - at) / 1_000));
  const now = clock.now();
  for (const { account, count } of await batchesLate(db, now)) gauges.late.set({ account, state: 'past' }, count);
  for (const { name: account } of accounts()) {
    const late = Object.values((await storedPace(db, account, now))?.late ?? {});
    gauges.late.set({ account, state: 'foreseen' }, late.filter(({ finishBy }) => finishBy > now).length);
  }
  for (const { account, balance } of await lastBalances(db)) {
    // A gauge is a binary float. That is exact enough for alerts, and no payment depends on it.
    for (const { name, currency, balance: held } of (JSON.parse(balance) as Balance).wallets)
      gauges.balance.set({ account, wallet: name, currency }, Number(held));
  }
  for (const { name: account, working, usage } of accounts()) {
    gauges.working.set({ account }, working ? 1 : 0);
    const gate = await readGate(db, account, now);
    for (const { why } of gate.isOpen ? [] : gate.causes) gauges.closed.set({ account, why }, 1);
    for (const requestClass of usage === null ? [] : requestClasses) {
      const rate = usage?.(requestClass);
      if (!rate) continue;
      gauges.used.set({ account, class: requestClass }, rate.used);
      gauges.allowed.set({ account, class: requestClass }, rate.limit);
    }
  }
  for (const { account, outcome, count } of await webhooksByOutcome(db))
    gauges.webhooks.set({ account, outcome: outcome ?? 'waiting' }, count);
  for (const { job, state, count } of await countSlots(db)) gauges.slots.set({ job, state }, count);
  for (const { outcome, count } of await countDeliveries(db)) gauges.deliveries.set({ outcome }, count);
  gauges.notifications.set(await notificationsWaiting(db));
}
