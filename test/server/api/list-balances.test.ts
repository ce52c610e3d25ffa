import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { aBatch, addBatch } from '../../support/ledger.ts';
import { api } from './api-fixture.ts';

const balanceAt = (readAt: number, balance: string) =>
  JSON.stringify({
    total: null,
    wallets: [{ walletId: 'w-1', name: 'local', currency: 'KES', balance, active: true }],
    readAt,
  });

describe('list-balances', () => {
  test('shows the balances of an account at each beginning and end of a batch, the oldest first', async (t) => {
    const { db, clock, send } = await api(t);
    const add = (batch_id: string, account: string, before: string, after: string | null) =>
      addBatch(
        db,
        clock,
        aBatch({ batch_id, account, run_id: batch_id, balance_before: before, balance_after: after }),
        [],
      );
    await add('B-2', 'default', balanceAt(3_000, '60'), balanceAt(4_000, '20.5'));
    await add('B-1', 'default', balanceAt(1_000, '100'), null);
    await add('B-3', 'other', balanceAt(2_000, '7'), null);
    const { status, body } = await send('GET', '/api/v1/accounts/default/balances');
    assert.equal(status, 200);
    assert.deepEqual(
      body.balances.map(({ read_at, wallets }: { read_at: string; wallets: { balance: string }[] }) => [
        Date.parse(read_at),
        wallets[0]?.balance,
      ]),
      [
        [1_000, '100'],
        [3_000, '60'],
        [4_000, '20.5'],
      ],
    );
  });
});
