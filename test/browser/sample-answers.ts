import type { Route } from 'playwright-core';
import type { paths } from '../../src/console/api/schema.ts';
import { pauseWhy } from '../../src/core/state/pause-texts.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { requireBatch } from '../../src/ledger/batches/require-batch.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { createUser } from '../../src/operations/access/create-user.ts';
import { performIn } from '../../src/operations/base/operation.ts';
import { createWebhook } from '../../src/operations/webhooks/create-webhook.ts';
import type { Session } from '../../src/runtime/session/session.ts';
import { addBatch } from '../support/ledger.ts';
import { moveRow, sampleBatch, sampleRow, samples, ways } from './samples.ts';

type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { 'application/json': infer Body } } } };
}
  ? Body
  : never;

const at = (hoursAgo: number) => new Date(systemClock.now() - hoursAgo * 3_600_000).toISOString();
export const longName = 'Wanjiru Nyambura Achieng-Odhiambo wa Kipchumba Mwangi Kamau';
export const longId = '20261126-070000-long';

/** A batch with names of 60 characters and amounts of 12 digits, and people with long names. */
export async function addLongContent(session: Session): Promise<void> {
  const columns = '["phone_number","network_id","amount","currency","employee"]';
  const rows = Array.from({ length: 12 }, (_, index) => {
    const row = sampleRow(longId, index + 1);
    const amount = '123456789012.5';
    return { ...row, amount, input: JSON.stringify([row.phone_number, '1', amount, 'KES', longName]) };
  });
  const fields = {
    run_id: 'transport-allowance-of-the-field-teams-in-turkana-and-marsabit-2026-11',
    file_name: 'Transport allowance of the field teams in Turkana and Marsabit, November 2026 (corrected).xlsx',
    ...{
      status: 'running' as const,
      created_by: 'nyambura.achieng-odhiambo',
      columns,
      finish_by: Date.now() + 3_600_000,
    },
  };
  await addBatch(session.db, systemClock, sampleBatch(longId, fields), rows);
  const cost = { cost: '119753085342.13', cost_currency: 'KES' };
  for (const rowNo of [1, 2, 3, 4])
    await moveRow(
      session,
      longId,
      rowNo,
      ways
        .complete(rowNo)
        .map(([event, about, data]) => [event, event === 'complete' ? { ...about, ...cost } : about, data]),
    );
  await moveRow(session, longId, 5, ways.fail(5));
  await moveRow(session, longId, 6, ways.doubt(6));
  await moveRow(session, longId, 7, ways.hold());
  await inUnit(session.db, { clock: systemClock, actor: 'engine' }, async (unit) => {
    const values = { spent: '479012341368.52', approved: '395061728440', currency: 'KES', why: '' };
    const why = pauseWhy(
      'PAUSE_SPENT',
      values,
      'KES 479,012,341,368.52 were spent, and KES 395,061,728,440.00 approved',
    );
    await unit.pauseBatch(await requireBatch(unit.tx, longId), { reason: 'guard_tripped', why });
  });
  const door = { nameOf: (field: string) => field };
  const people = [
    ['nyambura.achieng-odhiambo', longName, ['prepare', 'approve', 'operate', 'resolve', 'audit', 'admin']],
    ['otieno', 'Otieno Odhiambo', ['prepare']],
    ['zawadi', 'Zawadi Mutua', ['audit']],
  ] as const;
  for (const [name, display_name, roles] of people)
    await performIn(session, createUser, door, { name, display_name, roles: [...roles] });
  const url = 'https://payroll.example.org/hooks/airbatch/production?team=transport-and-logistics';
  await performIn(session, createWebhook, door, { url });
  await performIn(session, createWebhook, door, { url: 'https://a.example.org/', events: ['batch.paused'] });
}

export const answer = (json: unknown) => (route: Route) => route.fulfill({ json });
/** A request that never ends. */
export const never = () => undefined;
export const failed = (route: Route) =>
  route.fulfill({ status: 500, json: { code: 'INTERNAL', status: 500, title: '', detail: 'the disk is full' } });

export const signedOut = (route: Route) =>
  route.fulfill({ status: 401, json: { code: 'SIGN_IN_NEEDED', status: 401, title: '', detail: '' } });

export const factors: Answer<'/api/v1/session/factors'> = {
  totp: true,
  passkeys: [
    { credential_id: 'a', label: 'The phone', created_at: at(700), last_used_at: at(2) },
    {
      credential_id: 'b',
      label: 'The security key in the safe of the office in Nairobi',
      created_at: at(9),
      last_used_at: null,
    },
  ],
};

export const sessions: Answer<'/api/v1/sessions'> = {
  sessions: ['nyambura.achieng-odhiambo', 'otieno', 'zawadi'].map((name, index) => ({
    ...{ session_id: name, name, signed_in_at: at(4 + index), last_seen_at: at(index / 8) },
    device: ['Samsung Internet, Android', 'Firefox, Windows', null][index] ?? null,
    address: index === 0 ? '2001:db8:85a3:8d3:1319:8a2e:370:7348' : `10.0.0.${index}`,
  })),
};

export const ownSessions: Answer<'/api/v1/session/all'> = {
  sessions: sessions.sessions.map(({ name: _, address, ...session }, index) => ({
    ...{ ...session, address: address ?? '' },
    is_own: index === 0,
  })),
};

const ofKey = { created_by: 'zawadi', created_at: at(2_000), revoked_by: null, revoked_at: null, etag: '"1"' };
export const keys: Answer<'/api/v1/api-keys'> = {
  keys: [
    {
      ...{ ...ofKey, key_id: 'k-1', name: 'payroll-system-of-the-office-in-mombasa', roles: ['prepare', 'operate'] },
      ...{ accounts: ['kenya', 'uganda'], expires_at: at(-2_000), last_used_at: at(0.2) },
    },
    {
      ...{ ...ofKey, key_id: 'k-2', name: 'reports', roles: ['audit'], accounts: [], expires_at: null },
      ...{ last_used_at: null, revoked_by: 'otieno', revoked_at: at(3) },
    },
  ],
};

const attempts = [
  { at: at(2), status: null, duration_ms: 10_004, error: 'connect ETIMEDOUT 203.0.113.7:443' },
  { at: at(1), status: 503, duration_ms: 212, error: null },
];
const ofDelivery = { batch_id: samples.done, body: '{"type":"batch.completed"}', created_at: at(3), due_at: null };
export const deliveries: Answer<'/api/v1/webhooks/{endpoint_id}/deliveries'> = {
  deliveries: [
    {
      ...{ ...ofDelivery, delivery_no: 3, message_id: 'msg_2aUx7', event: 'batch.awaiting_approval' },
      ...{ outcome: 'waiting', due_at: at(-1), attempts },
    },
    {
      ...{ ...ofDelivery, delivery_no: 2, message_id: 'msg_1kQz4', event: 'batch.completed', outcome: 'failed' },
      ...{ attempts: attempts.slice(0, 1) },
    },
    {
      ...{ ...ofDelivery, delivery_no: 1, message_id: 'msg_0cTn9', event: 'row.in_doubt', outcome: 'delivered' },
      ...{ batch_id: samples.running, attempts: [{ at: at(9), status: 204, duration_ms: 88, error: null }] },
    },
  ],
  next: 1,
};

const work = { since: at(30), rows_ready: 18_204, rows_in_flight: 412, rows_in_doubt: 3, oldest_accepted_at: at(1) };
export const workers: Answer<'/api/v1/workers'> = {
  workers: [
    {
      worker: 'payouts-worker-1.internal.example.org/17/1',
      accounts: [
        { account: 'kenya', ...work },
        { account: 'uganda', ...work },
      ],
    },
    { worker: 'payouts-worker-2.internal.example.org/17/1', accounts: [] },
    {
      worker: null,
      accounts: [{ account: 'ghana', ...work, since: null, rows_in_doubt: 0, oldest_accepted_at: null }],
    },
  ],
};

const slot = { started_at: at(26), ended_at: at(26), reasons: null };
export const jobs: Answer<'/api/v1/jobs'> = {
  folder: '/srv/airbatch/jobs',
  jobs: [
    {
      ...{
        name: 'bonus',
        description: 'Pays the monthly bonus of the field teams',
        account: 'sandbox',
        source: 'folder',
      },
      ...{
        schedule: { cron: '0 9 25 * *', time_zone: 'Africa/Nairobi', catch_up: 'last' },
        priority: 'normal',
        finish_by: null,
      },
      ...{ file: 'bonus.ts', next_run: at(-300), unprocessed: [], open_slot: null },
      last_slot: { ...slot, due_at: at(26), state: 'failed', detail: 'no file has come' },
      slots: [
        { ...slot, due_at: at(26), state: 'failed', detail: 'no file has come', batches: [] },
        {
          ...slot,
          due_at: at(770),
          state: 'done',
          detail: 'paid',
          batches: [{ batch_id: samples.done, file: 'payroll-2026-10.csv' }],
        },
      ],
    },
  ],
} as unknown as Answer<'/api/v1/jobs'>;

const openLine = {
  ...{ bucket: 'ledger_only', batch_id: samples.running, generation: 1, reference: 'bonus-2026-11/7', topup_id: null },
  ...{ amount_here: '123456789012.50 KES', cost_here: '119753085342.13 KES' },
  ...{ status_there: null, amount_there: null, cost_there: null, created_at: null },
  ...{ next: 'Ask the service.', next_reason: { code: 'NEXT_LOOK_UP', values: { row: '7' } } },
};
export const openLines = {
  items: [
    {
      ...openLine,
      item_no: 1,
      row: 7,
      status_here: 'completed',
      notes: [{ at: at(2), person: 'otieno', text: 'case 17' }],
    },
    { ...openLine, item_no: 2, row: 8, status_here: 'in_doubt', notes: [] },
    {
      ...{ ...openLine, item_no: 3, bucket: 'cost_differs', row: 9, topup_id: '0f8fad5b-d9cb-469f-a165-70867728950e' },
      ...{ status_here: 'completed', status_there: 'completed', notes: [] },
      ...{ amount_there: '123456789012.50 KES', cost_there: '123456789012.50 KES' },
      next_reason: { code: 'NEXT_COST', values: {} },
    },
  ],
  next: null,
};
export const reconciliation = {
  reconciliation: {
    ...{ format: 'airbatch.reconciliation/1', reconciliation_id: 'R-1', account: 'sandbox', batch_id: null },
    ...{ from: at(170), to: at(2), finished_at: at(1), counts: { ledger_only: 2, cost_differs: 1 }, open: 3 },
    charged_by_ledger: { KES: '359259256026.39' },
    charged_by_service: { KES: '479012341368.52' },
    wallets: {
      ...{ first_read_at: at(170), last_read_at: at(2), next: 'Compare.' },
      currencies: [{ currency: 'KES', left: '479012341368.52', charged: '0', unexplained: '119753085342.13' }],
    },
  },
  reports: { dir: '/srv/airbatch/reports/reconciliation-sandbox-2026-11-26', files: [] },
  ...{ open_items: [], is_settled: false },
};

const { format: _, ...stored } = reconciliation.reconciliation;
export const storedReconciliation = {
  reconciliation: { ...stored, is_settled: false },
  reports: {
    dir: '/srv/airbatch/reports/R-1',
    files: ['csv', 'html', 'json', 'xlsx'].map((kind, index) => ({
      name: `reconciliation.${kind}`,
      bytes: 12_345 * (index + 1),
    })),
  },
};
export const storedReconciliations = {
  reconciliations: [
    storedReconciliation.reconciliation,
    {
      ...stored,
      reconciliation_id: 'R-0',
      from: at(340),
      to: at(170),
      finished_at: at(169),
      open: 0,
      is_settled: true,
    },
  ],
  next: null,
};
