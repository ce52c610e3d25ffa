import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { chainHash, pageEvents } from '../../src/ledger/events.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { openSigningKey } from '../../src/reports/signing-key.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import { tempFolder } from '../reports/fixture.ts';
import { makePack } from './pack.ts';

test('reports as they were made verify, and say by whom they were signed', async (t) => {
  const pack = await makePack(t);
  const result = await verifyReports(pack.dir, { publicKey: pack.key.publicKey });
  assert.deepEqual(result.findings, []);
  assert.deepEqual([result.ok, result.batchId, result.rows, result.events], [true, 'B-1', 10, 30]);
  assert.equal(result.keyFingerprint, pack.key.fingerprint);
});

test('masked reports verify too', async (t) => {
  const pack = await makePack(t, { mask: true });
  assert.deepEqual((await verifyReports(pack.dir)).findings, []);
  assert.equal(pack.files.has('failed.csv'), false);
});

test('a file that the manifest does not name is found', async (t) => {
  const pack = await makePack(t);
  await writeFile(join(pack.dir, 'results-final.csv'), 'x');
  assert.deepEqual(
    (await verifyReports(pack.dir)).findings.map(({ file }) => file),
    ['results-final.csv'],
  );
});

test('reports without a manifest do not verify', async (t) => {
  const pack = await makePack(t);
  await pack.put(
    new Map([
      ['manifest.json', null],
      ['manifest.sig', null],
    ]),
  );
  assert.equal((await verifyReports(pack.dir)).ok, false);
});

test('a chain that was cut and signed anew is found by the ledger', async (t) => {
  const ledger = join(await tempFolder(t), 'ledger.db');
  const pack = await makePack(t, { ledger });
  assert.equal((await verifyReports(pack.dir, { ledger })).ok, true);
  await pack.db.execute(`UPDATE events SET hash = 'other' WHERE seq = 30`);
  const { findings } = await verifyReports(pack.dir, { ledger });
  assert.deepEqual(
    findings.map(({ message }) => message),
    ['is not the audit chain of this ledger.'],
  );
});

test('a chain that was written anew, with all its hashes, is found by a head that was put outside before', async (t) => {
  const { dir, key, db } = await makePack(t);
  const events = await pageEvents(db, 'B-1', 0, 100);
  const anchors = join(await tempFolder(t), 'heads.jsonl');
  const heads = [10, 20].map((seq) => JSON.stringify({ batch_id: 'B-1', events: seq, head: events[seq - 1]?.hash }));
  await writeFile(anchors, `${heads.join('\n')}\n`);
  assert.deepEqual((await verifyReports(dir, { anchors })).findings, []);

  // Somebody with the ledger and the key says of one event that another person did it, and has the reports made anew.
  let head = events[13]?.hash ?? '';
  for (const event of events.slice(14)) {
    const actor = event.seq === 15 ? 'somebody else' : event.actor;
    head = chainHash(head, { ...event, actor });
    await db.execute('UPDATE events SET actor = ?, hash = ? WHERE seq = ?', [actor, head, event.seq]);
  }
  await db.execute('UPDATE batches SET audit_head = ?', [head]);
  await writeReports(db, 'B-1', dirname(dir), { key });
  assert.deepEqual((await verifyReports(dir)).findings, [], 'by themselves they are one piece');
  assert.deepEqual(
    (await verifyReports(dir, { anchors })).findings.map(({ message }) => message),
    ['event 20 is not the one that was anchored: the chain was written anew.'],
  );
});

function serviceEntry(rowNo: number, changes: object = {}): string {
  const amount = { value: 100.5, currency: 'KES' };
  const status = rowNo === 8 ? 'failed' : 'completed';
  return JSON.stringify({ id: `topup-${rowNo}`, status, reference: `payroll-2026-11/R-${rowNo}`, amount, ...changes });
}

const rowsAtService = [1, 2, 3, 4, 5, 6, 7, 8];

test("the service's own list is compared payment by payment", async (t) => {
  const pack = await makePack(t);
  const serviceList = join(await tempFolder(t), 'list.jsonl');
  const findingsFor = async (lines: string[]) => {
    await writeFile(serviceList, lines.join('\n'));
    return (await verifyReports(pack.dir, { serviceList })).findings.map(({ message }) => message);
  };
  const whole = rowsAtService.map((rowNo) => serviceEntry(rowNo));
  assert.deepEqual(await findingsFor([...whole, serviceEntry(99, { reference: 'another-program' })]), []);
  assert.match((await findingsFor(whole.slice(1))).join(), /row 1 is completed; the service's list does not have it/);
  assert.match(
    (await findingsFor([...whole, serviceEntry(11)])).join(),
    /topup-11 under payroll-2026-11\/R-11, which no row accounts for/,
  );
  assert.match(
    (await findingsFor([...whole, serviceEntry(2, { id: 'other' })])).join(),
    /topup-2 and other under one reference/,
  );
  assert.match(
    (await findingsFor(whole.with(2, serviceEntry(3, { amount: { value: 100.49, currency: 'KES' } })))).join(),
    /row 3 has another amount/,
  );
  assert.match(
    (await findingsFor(whole.with(3, serviceEntry(4, { status: 'pending' })))).join(),
    /row 4 is completed; the service has topup-4 as pending/,
  );
});

test('a list may name a payment twice, as where pages overlap, and be longer than the memory', async (t) => {
  const pack = await makePack(t);
  const serviceList = join(await tempFolder(t), 'list.jsonl');
  const whole = rowsAtService.map((rowNo) => serviceEntry(rowNo)).join('\n');
  await writeFile(serviceList, `${whole}\n${whole}\n`);
  assert.deepEqual((await verifyReports(pack.dir, { serviceList })).findings, []);
  const more = Array.from({ length: 150_000 }, (_, index) => serviceEntry(100 + index));
  await writeFile(serviceList, `${whole}\n${more.join('\n')}\n`);
  const program = `
    import { verifyReports } from '${join(import.meta.dirname, '../../src/verify/verify.ts')}';
    const { findings } = await verifyReports('${pack.dir}', { serviceList: '${serviceList}' });
    console.log(findings.length, findings[0].message);`;
  const flags = ['--max-old-space-size=24', '--input-type=module', '--eval', program];
  assert.match(
    execFileSync(process.execPath, flags, { encoding: 'utf8' }),
    /^100 the service has topup-100 under payroll-2026-11\/R-100, which no row accounts for/,
  );
});

test('the signature is one that openssl can check', async (t) => {
  const pack = await makePack(t);
  const keyPath = join(await tempFolder(t), 'public.pem');
  await writeFile(keyPath, pack.key.publicKey);
  const args = [
    'pkeyutl',
    '-verify',
    '-pubin',
    '-inkey',
    keyPath,
    '-rawin',
    '-in',
    'manifest.json',
    '-sigfile',
    'manifest.sig',
  ];
  try {
    assert.match(execFileSync('openssl', args, { cwd: pack.dir, encoding: 'utf8' }), /Verified Successfully/);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    t.skip('openssl is not installed');
  }
});

test('the key is made once, and only its owner may read it', async (t) => {
  const path = join(await tempFolder(t), 'deep', 'key.pem');
  const [first, second] = await Promise.all([openSigningKey(path), openSigningKey(path)]);
  assert.equal(first.fingerprint, second.fingerprint);
  assert.equal((await openSigningKey(path)).fingerprint, first.fingerprint);
  assert.deepEqual(await readdir(join(path, '..')), ['key.pem']);
});

test('the proof imports nothing of the program that it checks', async () => {
  const folder = join(import.meta.dirname, '../../src/verify');
  for (const name of await readdir(folder)) {
    const imports = [...(await readFile(join(folder, name), 'utf8')).matchAll(/from '([^']+)'/g)].map(
      ([, from]) => from ?? '',
    );
    for (const from of imports) assert.match(from, /^(\.\/|node:|zod$|csv-parse$)/, `${name} imports ${from}`);
  }
});
