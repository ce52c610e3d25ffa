import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { walkChain } from '../../../src/verify/chain/chain.ts';
import { makeFacts } from '../../../src/verify/chain/gather-facts.ts';
import { checkBalanceProof } from '../../../src/verify/checks/balance.ts';
import type { Summary } from '../../../src/verify/checks/summary.ts';
import { ExactSums } from '../../../src/verify/input/decimal.ts';
import { Findings } from '../../../src/verify/input/findings.ts';
import { makePack } from '../pack.ts';

async function sample(t: TestContext) {
  const { dir, files } = await makePack(t);
  const [manifest, summary] = ['manifest.json', 'summary.json'].map((name) => JSON.parse(String(files.get(name))));
  return { dir, manifest, summary: summary as Summary };
}

function foundIn(summary: Summary): string[] {
  const findings = new Findings();
  checkBalanceProof(summary, new ExactSums(), findings);
  return findings.list.map(({ message }) => message);
}

test('what left a wallet is unknown if it was read only once', async (t) => {
  const { summary } = await sample(t);
  assert.deepEqual(foundIn(summary), []);
  const [first, ...others] = summary.balance.wallets;
  assert.ok(first);
  const unread = { ...first, after: null };
  const found = foundIn({ ...summary, balance: { ...summary.balance, wallets: [unread, ...others] } });
  assert.match(found[0] ?? '', /^has \S+ as what left wallet \S+, which held \S+ and null\.$/);
});

test('charges of a batch in any currency left the wallets that name none', async (t) => {
  const { summary } = await sample(t);
  const [wallet] = summary.balance.wallets;
  const [explanation] = summary.balance.explanation;
  assert.ok(wallet && explanation);
  const proof = (charged: string) => {
    const wallets = [{ ...wallet, currency: '', before: '10', after: '7', difference: '3' }];
    const amounts = { charged_by_this_batch: charged, charged_by_other_batches: '0', unexplained: '0' };
    const parts = [{ ...explanation, currency: '', difference: '3', ...amounts }];
    return {
      ...summary,
      charged: { ...summary.charged, total: { USD: charged } },
      balance: { ...summary.balance, wallets, explanation: parts, explained: true },
    };
  };
  assert.deepEqual(foundIn(proof('3')), []);
  assert.equal(foundIn(proof('2')).length, 1);
});

test('a chain has exactly as many events as the manifest says, whatever its head', async (t) => {
  const { dir, manifest } = await sample(t);
  const { events } = manifest.audit;
  const findings = new Findings();
  await walkChain(dir, { ...manifest, audit: { ...manifest.audit, events: events + 1 } }, findings, {
    anchored: new Map(),
    outside: new Set(),
    wanted: new Set(),
  });
  assert.deepEqual(
    findings.list.map(({ message }) => message),
    [`has ${events} events; the manifest says ${events + 1}.`],
  );
});

test('a chain that ends one event before an anchored head was cut short', async (t) => {
  const { dir, manifest } = await sample(t);
  const { events } = manifest.audit;
  const findings = new Findings();
  await walkChain(dir, manifest, findings, {
    anchored: new Map([[events + 1, 'f'.repeat(64)]]),
    outside: new Set([events + 1]),
    wanted: new Set(),
  });
  assert.deepEqual(
    findings.list.map(({ message }) => message),
    [`was cut short, or is of an older version: ${events + 1} events were anchored, and it has ${events}.`],
  );
});

test('the chain’s events of a sending belong to its generation: a payment that a restored ledger finds is another one', () => {
  const facts = makeFacts();
  const note = (kind: string, data: Record<string, unknown>) =>
    facts.note(1, kind, { seq: 1, actor: 'engine', at: 5, data });
  note('row.send', { from: 'ready', to: 'sending', attempt: 1, generation: 1, key: 'k-1' });
  assert.notEqual(facts.sentOf(1), 0);
  note('row.unsent', { from: 'sending', to: 'ready' });
  note('row.doubt', { from: 'ready', to: 'in_doubt', first_sent_at: 4 });
  assert.deepEqual([facts.sentOf(1), facts.firstSentOf(1)], [0, 4]);
});
