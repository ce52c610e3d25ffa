import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Sums } from '../../../src/core/money/money.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { sandboxHere } from '../../support/sandbox-process.ts';

/** Failed, refunded later, paid after its failure, and paid: in shillings and in naira. */
const file = (phone: number) =>
  `phone_number,network_id,amount,currency,reference
+254712${phone}0001,1,50,KES,r-1
+254712${phone}0008,1,60,KES,r-2
+254712${phone}0014,1,70,KES,r-3
+254712${phone}0021,1,80,KES,r-4
+23480312345${phone},12,500,NGN,r-5
`;
const env = { KEY: 'sandbox-key', EMAIL: 'sandbox@airbatch.test', TOKEN: 'sandbox-token' };
const days = ['--from', at(-1), '--to', at(1)];

function at(day: number): string {
  return new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10);
}

test('the totals of a month are what the wallets paid and what reconcile says, in both versions', async (t) => {
  const cwd = folderOf(t);
  const sandbox = await sandboxHere(t, { settleMs: 0 });
  const ends = { baseUrl: sandbox.url, doubt: { sameNumberSpacingMs: 0 } };
  const accounts = {
    two: { ...ends, apiKeyEnv: 'KEY', walletMode: 'local' },
    one: { ...ends, version: 'v1', emailEnv: 'EMAIL', tokenEnv: 'TOKEN' },
  };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ accounts }));
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(['--json', ...args], { cwd, env });
    assert.ok([0, 4, 5].includes(code ?? -1), stderr);
    return JSON.parse(stdout);
  };
  const paid = new Map<string, Record<string, string>>();
  for (const [account, phone] of [['two', 36] as const, ['one', 37] as const]) {
    writeFileSync(join(cwd, `${account}.csv`), file(phone));
    await run('run', `${account}.csv`, '--run-id', account, '--account', account, '--yes');
  }
  await fetch(`${sandbox.url}/_sandbox/clock`, { method: 'POST', body: '{"advance_ms":90000}' });
  const { charges } = (await (await fetch(`${sandbox.url}/_sandbox/charges`)).json()) as {
    charges: { reference: string; cost: string; costCurrency: string; live: boolean; refunded: boolean }[];
  };
  for (const account of ['two', 'one']) {
    const sums = new Sums();
    const kept = charges.filter((one) => one.reference.startsWith(`${account}/`) && one.live && !one.refunded);
    for (const { cost, costCurrency } of kept) sums.add(costCurrency, cost);
    paid.set(account, sums.toObject());
  }
  assert.deepEqual(paid.get('two'), { KES: '150', NGN: '500' });
  const reversed = await runHere(['journal', '--account', 'two', '--from', at(1), '--to', at(-1)], { cwd, env });
  assert.match(reversed.stderr, /--to \S+ is before --from \S+ \[USAGE\]/);
  const unwritten = await runHere(['journal', '--account', 'two', ...days, '--out', 'gone/november.csv'], { cwd, env });
  assert.match(unwritten.stderr, /cannot be written: .*\nName another file with --out, and repeat the command\.\n/);
  for (const account of ['two', 'one']) {
    const { reconciliation } = await run('reconcile', '--account', account, ...days);
    const { totals, uncertain } = await run('journal', '--account', account, ...days);
    assert.deepEqual([account, totals, uncertain], [account, paid.get(account), 0]);
    for (const { currency, charged, left } of reconciliation.wallets?.currencies ?? [])
      assert.deepEqual([currency, charged, left], [currency, totals[currency] ?? '0', totals[currency] ?? '0']);
    assert.equal(reconciliation.wallets === null, account === 'one', 'Version 1 has no list to compare wallets with');
  }
});
