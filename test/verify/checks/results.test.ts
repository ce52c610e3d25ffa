import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { Act } from '../../../src/verify/chain/chain-facts.ts';
import { makeFacts } from '../../../src/verify/chain/gather-facts.ts';
import { makeSendings } from '../../../src/verify/chain/sendings.ts';
import { checkAgainstChain, checkResults } from '../../../src/verify/checks/results.ts';
import { Findings } from '../../../src/verify/input/findings.ts';
import { makePack } from '../pack.ts';

/** All that is found, however much. */
class AllFindings extends Findings {
  override add(file: string, message: string): void {
    this.list.push({ file, message });
  }
}

/** What is found wrong with row 1 where its chain tells of these events. */
function foundIn(row: Record<string, string>, events: Record<string, Act['data']> = {}): string[] {
  const facts = makeFacts();
  for (const [kind, data] of Object.entries(events)) facts.note(1, kind, { seq: 7, actor: 'engine', at: 5, data });
  const findings = new AllFindings();
  checkAgainstChain({ attempts: '0', first_sent_at: '', ...row }, 1, facts, findings);
  return findings.list.map(({ message }) => message);
}

describe('a row that was never paid has no payment data', () => {
  for (const status of ['invalid', 'skipped', 'cancelled', 'held', 'ready'])
    test(`if it is ${status}`, () => {
      const events = { 'row.hold': { to: status } };
      assert.deepEqual(foundIn({ status }, events), []);
      assert.deepEqual(foundIn({ status, topup_id: 't-1' }, events), [
        `row 1 has topup_id, and was never paid: it is ${status}.`,
      ]);
    });
});

test('requests of a row are counted up to 65,535; more count as at least as many', () => {
  const events = { 'row.send': { to: 'sending', from: 'in_doubt', attempt: 70_000 } };
  const found = (attempts: string) => foundIn({ status: 'sending', attempts }, events);
  assert.deepEqual([found('65535'), found('70000')], [[], []]);
  assert.deepEqual(found('65534'), ['row 1 has 65534 attempts; the audit chain says 65535.']);
});

test('another payment or cost is named, with the event that has the one of the chain', () => {
  const paid = { topup_id: 't-1', cost: '2', cost_currency: 'USD' };
  const found = (row: Record<string, string>) =>
    foundIn({ status: 'completed', ...row }, { 'row.complete': { to: 'completed', ...paid } });
  assert.deepEqual(found(paid), []);
  assert.deepEqual(found({ ...paid, cost: '3' }), [
    'row 1 has the payment t-1 and the cost USD 3; event 7 of the audit chain has another payment or cost.',
  ]);
});

test('only a completed row can have a refund', () => {
  const none = { refunded_at: '', refund_amount: '', refund_currency: '' };
  const events = (to: string) => ({ 'row.end': { to }, 'row.refund': { amount: '1', currency: 'USD' } });
  assert.deepEqual(foundIn({ status: 'failed', ...none }, events('failed')), []);
  assert.deepEqual(foundIn({ status: 'completed', ...none }, events('completed')), [
    'row 1 has another refund than the audit chain.',
  ]);
});

test('the number of sends of each row is kept for a file of any length', () => {
  const sendings = makeSendings();
  const rows = [1, 1_023, 1_024, 1_025, 2_048, 2_049, 10_000];
  for (const row of rows) sendings.note(row, 'row.send', row, { from: 'ready', attempt: row % 7 });
  assert.deepEqual(
    rows.map((row) => [sendings.attemptsOf(row), sendings.firstSentOf(row)]),
    rows.map((row) => [row % 7, row]),
  );
});

test('a row that may be paid already keeps that mark until it is sent itself, but not if it now asks for something else', () => {
  const sendings = makeSendings();
  const hold = (first_sent_at: number | null) => sendings.note(1, 'row.hold', 9, { why: 'MAY_BE_PAID', first_sent_at });
  hold(null);
  assert.equal(sendings.mayBear(1), false);
  hold(7);
  assert.ok(sendings.mayBear(1));
  sendings.note(1, 'row.send', 10, { from: 'ready', attempt: 1 });
  assert.equal(sendings.mayBear(1), false);
});

test('a key that two rows use is found in a file of any length, and no other key', async (t) => {
  const { dir, files } = await makePack(t);
  const [manifest, summary] = ['manifest.json', 'summary.json'].map((name) => JSON.parse(String(files.get(name))));
  const keys = Array.from({ length: 2_100 }, (_, index) => `k-${index + 1}`);
  keys[1_024] = 'k-1';
  keys[2_048] = 'k-2';
  const [header = ''] = String(files.get('results.csv')).split('\n');
  const columns = header.trimEnd().split(',');
  const cellsOf = (key: string, index: number): Record<string, string> => ({
    row: String(index + 1),
    status: 'ready',
    idempotency_key: key,
  });
  const lines = keys.map((key, index) => columns.map((name) => cellsOf(key, index)[name] ?? '').join(','));
  writeFileSync(join(dir, 'results.csv'), [columns.join(','), ...lines, ''].join('\n'));
  const findings = new AllFindings();
  await checkResults(dir, { manifest, summary, chain: makeFacts() }, findings);
  assert.deepEqual(
    findings.list.flatMap(({ message }) => (message.includes('used before') ? [message] : [])),
    ['row 1025 uses a key that was used before: k-1.', 'row 2049 uses a key that was used before: k-2.'],
  );
});
