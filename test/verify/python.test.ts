import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import type { ExplainedData } from '../../src/ledger/audit/events.ts';
import { forgetRows } from '../../src/ledger/batches/forget-rows.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { type Contradiction, noteContradiction } from '../../src/ledger/reporting/contradictions.ts';
import { findRow, type RowRecord } from '../../src/ledger/rows/rows.ts';
import { inUnit } from '../../src/ledger/unit-of-work.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { openSigningKey } from '../../src/reports/versions/signing-key.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import {
  clockOf,
  completedWay,
  failedWay,
  newBatch,
  newRow,
  paidAgain,
  signedBy,
  testClock,
  testLedger,
  writeBatch,
} from '../reports/fixture.ts';
import { giveBack } from '../reports/late.ts';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { judgeByCommand, judgeProgram, startJudge } from './judge.ts';
import { makePack, type Pack, signAnew } from './pack.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/report-format.md'), 'utf8');

const isThere = (command: string, argument: string) => spawnSync(command, [argument]).status === 0;
const missing = [
  ['python3', '--version'],
  ['openssl', 'version'],
].filter(([command = '', argument = '']) => !isThere(command, argument));
const skip = missing.length === 0 ? false : `${missing.map(([command]) => command).join(' and ')} is not installed`;

async function keyFile(t: TestContext, { key }: Pick<Pack, 'key'>): Promise<string> {
  const path = join(folderOf(t), 'key.pem');
  await writeFile(path, key.publicKey);
  return path;
}

describe('the verifier that follows the page of the format', { skip }, () => {
  let judges: ReturnType<typeof startJudge>;
  before(() => {
    judges = startJudge();
  });
  after(() => judges.stop());
  const judge = (dir: string, keyPath: string) => judges.judge(dir, keyPath);

  test('uses nothing of airbatch, and only the standard library of Python', () => {
    const text = readFileSync(judgeProgram, 'utf8');
    assert.doesNotMatch(text, /airbatch(?!\.(manifest|summary)\/1)|node/);
    const imports = [...text.matchAll(/^(?:import ([\w, ]+)|from (\w+) import)/gm)];
    const own = 'collections csv datetime decimal hashlib json os re subprocess sys uuid';
    assert.deepEqual(imports.flatMap(([, names, name = '']) => names?.split(', ') ?? [name]).sort(), own.split(' '));
  });

  test('uses no name that is not on the page', () => {
    const text = readFileSync(judgeProgram, 'utf8');
    const lists = text.slice(text.indexOf('STATES'), text.indexOf('SPACE')).replace(/^#.*$|\.split|set\(/gm, '');
    const names: string[] = lists.match(/[a-z_0-9]+(?:\.[a-z]+)?/g) ?? [];
    assert.ok(names.includes('second_topup_id') && names.includes('paid_twice') && names.includes('public_key'));
    assert.deepEqual(
      names.filter((name) => ![name, ...name.split('.')].some((one) => page.includes(`\`${one}\``))),
      [],
    );
  });

  const amounts = ['"1,500.00"', '"KES 1,234.50"', '"2,000/="', '1 250.50', '\u0665\u0660', 'KSh 75', '"900,-"'];
  const lines = amounts.map((amount, index) => `+25471240${5100 + index},1,${amount},KES`);
  const files = {
    'the sample file': readFileSync(join(import.meta.dirname, '../../samples/payroll.csv')),
    'a file with amounts in many forms': `phone_number,network_id,amount,currency\n${lines.join('\n')}\n`,
  };
  for (const [what, content] of Object.entries(files))
    test(`proves the reports of ${what}`, async (t) => {
      const folder = folderOf(t);
      await writeFile(join(folder, 'payroll.csv'), content);
      const { stdout } = await runHere(['run', 'payroll.csv', '--yes', '--json'], { cwd: folder });
      const { dir } = JSON.parse(stdout).reports as { dir: string };
      await writeFile(join(folder, 'key.pem'), (await runHere(['key'], { cwd: folder })).stdout);
      const { isProven, said } = judgeByCommand(dir, join(folder, 'key.pem'));
      assert.ok(isProven, said);
    });

  for (const [what, mask] of [
    ['plain', false],
    ['masked', true],
  ] as const)
    test(`proves ${what} reports`, async (t) => {
      const pack = await makePack(t, { mask });
      const { isProven, said } = await judge(pack.dir, await keyFile(t, pack));
      assert.ok(isProven, said);
    });

  const prepared: Record<string, (db: Database) => Promise<void>> = {
    'of rows that were retried, and of references, products and texts like formulas': (db) =>
      writeBatch(db, newBatch('B-1'), [
        { row: newRow('B-1', 1), way: paidAgain(1) },
        {
          row: newRow('B-1', 2, { row_ref: '=a;=b', sms_message: '-10% "off",\nsée you\u2028=1' }),
          way: completedWay(2),
        },
        { row: newRow('B-1', 3, { amount: null, currency: null, product_id: '+data' }), way: completedWay(3) },
        { row: newRow('B-1', 4, { status: 'skipped' }) },
      ]),
    'of rows that the service contradicts or has paid twice': async (db) => {
      await writeBatch(db, newBatch('B-1'), [
        { row: newRow('B-1', 1), way: completedWay(1) },
        { row: newRow('B-1', 2), way: failedWay(2) },
      ]);
      await inUnit(db, { clock: clockOf(db), actor: 'engine' }, async (unit) => {
        const [paid, failed] = [await findRow(unit.tx, 'B-1', 1), await findRow(unit.tx, 'B-1', 2)];
        const found: Contradiction = {
          topupId: 'topup-2',
          serviceStatus: 'completed',
          why: 'an earlier payment of the row is completed',
          firstSentAt: null,
          cost: null,
          completedAt: null,
        };
        await noteContradiction(unit, failed as RowRecord, found);
        const second: ExplainedData = {
          why: 'an earlier payment of the row is completed',
          service_status: 'completed',
          topup_id: 'topup-9',
        };
        await unit.noteRow(paid as RowRecord, { second_topup_id: 'topup-9' }, 'row.contradicted', second);
      });
    },
    'of money that came back': async (db) => {
      await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way: completedWay(1) }]);
      await giveBack(db, 1);
    },
    'of people who were forgotten': async (db) => {
      await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way: completedWay(1) }]);
      await inUnit(db, { clock: testClock(), actor: 'amina' }, async (unit) => {
        await forgetRows(unit.tx, 'B-1', 1, 1);
        await unit.append('B-1', 'batch.forget', { why: 'retention', rows: 1 });
      });
    },
  };
  for (const [what, prepare] of Object.entries(prepared))
    test(`proves reports ${what}`, async (t) => {
      const db = await testLedger(t);
      await prepare(db);
      const key = await openSigningKey(join(folderOf(t), 'key.pem'));
      const { dir } = await writeReports(db, 'B-1', folderOf(t), signedBy(db, key));
      const { isProven, said } = await judge(dir, await keyFile(t, { key }));
      assert.ok(isProven, said);
    });

  test('proves a later version with the one before it', async (t) => {
    const pack = await makePack(t);
    await giveBack(pack.db, 2);
    const { dir } = await writeReports(pack.db, 'B-1', dirname(pack.dir), signedBy(pack.db, pack.key));
    const keyPath = await keyFile(t, pack);
    for (const folder of [dir, join(dir, 'versions/1-as-of-2026-11-01')]) {
      const { isProven, said } = await judge(folder, keyPath);
      assert.ok(isProven, said);
    }
  });

  test('proves events of all known interfaces, and not of an unknown one', async (t) => {
    for (const [through, found] of [
      ['job:payroll', /^PROVEN/m],
      ['window', /NOT PROVEN: event \d+ came through an unknown door/],
    ] as const) {
      const pack = await makePack(t);
      const { signing } = signedBy(pack.db, pack.key);
      assert.ok(signing);
      await giveBack(pack.db, 2);
      const { dir } = await writeReports(pack.db, 'B-1', dirname(pack.dir), {
        signing: { ...signing, through: through as 'cli' },
      });
      assert.match((await judge(dir, await keyFile(t, pack))).said, found);
      const { findings } = await verifyReports(dir);
      const ours = through === 'window' ? [/came through an unknown interface/] : [];
      assert.equal(findings.length, ours.length);
      for (const [index, pattern] of ours.entries()) assert.match(findings[index]?.message ?? '', pattern);
    }
  });

  test('proves nothing with another key', async (t) => {
    const pack = await makePack(t);
    const other = await openSigningKey(join(folderOf(t), 'other.pem'));
    const { isProven, said } = judgeByCommand(pack.dir, await keyFile(t, { key: other }));
    assert.equal(isProven, false);
    assert.match(said, /NOT PROVEN: the signature does not fit/);
  });

  /** Edits by somebody who holds the key, and signs all of it anew. */
  const edits: [file: string, was: RegExp | string, is: string, found: RegExp][] = [
    ['results.csv', '+254712000001', '+254799999999', /the rows are not those that were validated/],
    [
      'results.csv',
      ',100.50,',
      ',900.50,',
      /the rows are not those .*row 1 has 900\.50 as its amount, and 100\.50 as input_amount/,
    ],
    ['results.csv', /(3,1,.*3,1,)100\.50/, '$19.00', /row 3 has 100\.50 as its amount, and 9\.00 as input_amount/],
    ['results.csv', ',0.80,', ',8.00,', /row 1 has another cost/],
    ['results.csv', 'topup-1,', 'topup-9,', /row 1 has another topup_id/],
    ['results.csv', /(8,R-8,)failed/, '$1completed', /row 8 has another state/],
    ['results.csv', /^2,.*\n/m, '', /row 2 is missing or moved/],
    ['results.csv', /\n$/, '\n11,extra\n', /row 11 is missing or moved/],
    ['summary.json', '"total": 10', '"total": 11', /the counts are others/],
    ['summary.json', '"KES": "703.5"', '"KES": "70.35"', /sums of requested are others/],
    ['summary.json', '"approved_by": "brian"', '"approved_by": "mallory"', /another person approved/],
    ['summary.json', '"created_by": "amina"', '"created_by": "mallory"', /another batch was received/],
    ['summary.json', '{\n', '{\n  "note": "paid in cash",\n', /a name that is not known/],
    ['summary.json', '"total": 10', '"total": 1e1', /in another form/],
    ['summary.json', '"total": 10', '"total": 10.0', /in another form/],
    ['summary.json', '"total": 10', '"total": 10,\n    "hidden": 3', /a name that is not known/],
    ['summary.json', '"service": "', '"service": "other ', /another batch was received/],
    ['results.csv', /,payroll-2026-11\/R-1,/, ',payroll-2026-12/R-1,', /row 1 has another reference/],
    ['results.csv', 'provider_reference', 'note', /results.csv has other columns/],
    ['results.csv', '2026-11-01T08:00:01.000Z', '2026-11-01T08:00:02.000Z', /row 1 was sent at another time/],
    ['results.csv', /^(1,(?:[^,]*,){8})1,/m, '$12,', /row 1 was sent .* another number of times/],
    ['results.csv', /^(1,(?:[^,]*,){3})1,/m, '$101,', /row 1 has network_id in another form/],
    ['results.csv', ',0.80,', ',0.800,', /row 1 has another cost/],
    ['results.csv', /^(9,(?:[^,]*,){14}),/m, '$10.80,', /row 9 was never paid, and says that it was/],
    ['results.csv', 'The operator declined it', 'The number is wrong', /row 8 has another failure_reason/],
    ['summary.json', '"sandbox": false', '"sandbox": true', /sandbox is another/],
    ['summary.json', '"valid": 8', '"valid": 9', /rows\.valid is another/],
    ['summary.json', '"before": "100"', '"before": "1000"', /the wallets held something else before it/],
    ['summary.json', '"after": "94.4"', '"after": "94.40"', /the wallets held something else after it/],
    ['summary.json', '"difference": "5.6"', '"difference": "5.5"', /another amount left a wallet/],
    ['summary.json', '"wallet_id": ', '"note": "x",\n        "wallet_id": ', /not known in balance\.wallets/],
    ['summary.json', '"charged_by_this_batch": "5.6"', '"charged_by_this_batch": "4.8"', /does not add up/],
    ['summary.json', '"explained": true', '"explained": false', /explained is another/],
    ['summary.json', /"before_read_at": "[^"]+"/, '"before_read_at": null', /balance\.before_read_at is another/],
    [
      'summary.json',
      /"started_at": "[^"]+"/,
      '"started_at": "2026-11-01T07:00:00.000Z"',
      /times\.started_at is another/,
    ],
    ['summary.json', '"finish_by": null', '"finish_by": "2026-11-02T07:00:00.000Z"', /times\.finish_by is another/],
    ['events.jsonl', '"actor":"brian"', '"actor":"mallory"', /event \d+ does not follow/],
    ['events.jsonl', /^.*"seq":7,.*\n/m, '', /another number of events/],
    ['events.jsonl', '"actor":"brian"', '"actor":"mallory","actor":"brian"', /event \d+ is in another form/],
  ];
  test('rejects each of them, signed again, and so does verify', async (t) => {
    const pack = await makePack(t);
    const keyPath = await keyFile(t, pack);
    for (const [file, was, is, found] of edits) {
      const what = `${file}: ${JSON.stringify(is)} instead of ${String(was)}`;
      const text = String(pack.files.get(file));
      const changed = text.replace(was, is);
      assert.notEqual(changed, text, what);
      await pack.put(signAnew(pack, file, Buffer.from(changed)));
      const { isProven, said } = await judge(pack.dir, keyPath);
      assert.equal(isProven, false, what);
      assert.match(said, found, what);
      assert.equal((await verifyReports(pack.dir)).ok, false, what);
    }
  });

  test('rejects a folder with a file that was changed, added, removed or linked', async (t) => {
    const pack = await makePack(t);
    const keyPath = await keyFile(t, pack);
    const judged = async (name: string, content: Buffer | null) => {
      await pack.put(new Map([[name, content]]));
      const { isProven, said } = await judge(pack.dir, keyPath);
      assert.equal(isProven, false, name);
      return said;
    };
    assert.match(await judged('report.html', Buffer.from('x')), /report\.html was changed/);
    assert.match(await judged('failed.csv', null), /there are other files/);
    assert.match(await judged('manifest.sig', Buffer.alloc(64)), /signature does not fit/);
    await pack.put(new Map());
    await symlink(join(pack.dir, 'failed.csv'), join(pack.dir, 'more.csv'));
    assert.match((await judge(pack.dir, keyPath)).said, /there are other files/);
  });
});

test('gives the hashes of the page for the worked example', () => {
  const blocks = [...page.slice(page.indexOf('### Worked example')).matchAll(/```(?:json|text)\n(.*)\n```/g)];
  const [first, covered, second, next] = blocks.map(([, text = '']) => text) as [string, string, string, string];
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
  assert.equal(sha256(covered), JSON.parse(first).hash);
  assert.equal(sha256(next), JSON.parse(second).hash);
  assert.ok(next.startsWith(JSON.parse(first).hash));
  for (const line of [first, second]) {
    const { batch_id, seq, at, actor, kind, row_no, body, hash } = JSON.parse(line);
    assert.equal(line, JSON.stringify({ batch_id, seq, at, actor, kind, row_no, body, hash }));
    const array = JSON.stringify([batch_id, seq, at, actor, kind, row_no, body]);
    assert.ok([covered, next].some((text) => text.slice(64) === array));
  }
});
