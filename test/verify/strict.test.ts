import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { insertAnchor } from '../../src/ledger/audit/anchors.ts';
import { chainHash, pageEvents } from '../../src/ledger/audit/events.ts';
import { writeReports } from '../../src/reports/reports.ts';
import { verifyReports } from '../../src/verify/verify.ts';
import { signedBy, startMs } from '../reports/fixture.ts';
import { folderOf } from '../support/folder.ts';
import { makePack, type Pack, signAnew } from './pack.ts';

/** What verification with the key finds where a file was edited and all of it signed anew with that very key. */
async function foundAfter(pack: Pack, name: string, edit: (text: string) => string): Promise<string[]> {
  const text = String(pack.files.get(name));
  const changed = edit(text);
  assert.notEqual(changed, text, 'it is another text');
  if (name === 'manifest.json') {
    const bytes = Buffer.from(changed);
    await pack.put(
      new Map([
        ['manifest.json', bytes],
        ['manifest.sig', Buffer.from(pack.key.sign(bytes))],
      ]),
    );
  } else await pack.put(signAnew(pack, name, Buffer.from(changed)));
  const { findings } = await verifyReports(pack.dir, { publicKey: pack.key.publicKey });
  return findings.map(({ file, message }) => `${file} ${message}`);
}

/** Objects within a file of JSON, by the names that lead there. */
function objectsIn(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([name, member]) => objectsIn(member, [...path, name]));
  return Array.isArray(value) ? inner : [path, ...inner];
}

/** The same file with one more member in the object at a path. */
function withMember(text: string, path: readonly (string | number)[], member: Record<string, unknown>): string {
  const json = JSON.parse(text);
  let object = json;
  for (const name of path) object = object[name];
  for (const [name, value] of Object.entries(member))
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  return `${JSON.stringify(json, null, 2)}\n`;
}

for (const name of ['summary.json', 'manifest.json']) {
  test(`an unknown member of ${name}, at any depth, is rejected even with the right key`, async (t) => {
    const pack = await makePack(t);
    const text = String(pack.files.get(name));
    const paths = objectsIn(JSON.parse(text));
    assert.ok(paths.length >= 3, 'it has objects within');
    for (const path of paths)
      for (const member of [{ note: 'approved by the auditor' }, { ['__proto__']: { status: 'completed' } }]) {
        const found = await foundAfter(pack, name, () => withMember(text, path, member));
        assert.notDeepEqual(found, [], `${path.join('.')} ${JSON.stringify(member)}`);
      }
  });
}

test('a zero for a state that no row has is rejected in the counts', async (t) => {
  const pack = await makePack(t);
  for (const [path, member] of [
    [['problems'], { PHONE_MISSING: 0 }],
    [['failures'], { OTHER: { rows: 0, reason: null, other_reasons: 0 } }],
    [['rows', 'by_status'], { paid: 0 }],
    [['requested', 'by_status'], { paid: { KES: '0' } }],
  ] as const)
    assert.match(
      (await foundAfter(pack, 'summary.json', (text) => withMember(text, path, member))).join(),
      /summary\.json cannot be read/,
    );
});

test('numbers and texts in another form than the program writes are rejected', async (t) => {
  const pack = await makePack(t);
  const edits: [name: string, was: string, is: string][] = [
    ['summary.json', '"total": 10', '"total": 1e1'],
    ['summary.json', '"total": 10', '"total": 10.0'],
    ['summary.json', '"created_by": "amina"', '"created_by": "\\u0061mina"'],
    ['summary.json', '"difference": "5.6"', '"difference": "05.6"'],
    ['summary.json', '"after_read_at": "2026-11-01T08:01:00.500Z"', '"after_read_at": "2026-11-01T09:01:00.500+01:00"'],
    ['manifest.json', '"events": 31', '"events": 31.0'],
    ['manifest.json', '"public_key": "', '"public_key": "Approved by the auditor\\n'],
    ['manifest.json', '  "masked": false', '\t"masked": false'],
  ];
  for (const [name, was, is] of edits)
    assert.notDeepEqual(await foundAfter(pack, name, (text) => text.replace(was, is)), [], `${name} ${is}`);
});

test('bytes after the end of a file, or before its beginning, are rejected', async (t) => {
  const pack = await makePack(t);
  for (const name of ['summary.json', 'manifest.json', 'events.jsonl', 'results.csv'])
    for (const edit of [
      (text: string) => `${text}\n`,
      (text: string) => `${text}{}\n`,
      (text: string) => `\uFEFF${text}`,
    ]) {
      if (name === 'results.csv' && edit('') === '\uFEFF') continue;
      assert.notDeepEqual(await foundAfter(pack, name, edit), [], `${name} ${JSON.stringify(edit(''))}`);
    }
  await writeFile(
    join(pack.dir, 'manifest.sig'),
    Buffer.concat([pack.files.get('manifest.sig') as Buffer, Buffer.from('x')]),
  );
  assert.notDeepEqual((await verifyReports(pack.dir)).findings, []);
});

test('a file that the manifest names twice is rejected', async (t) => {
  const pack = await makePack(t);
  const twice = (text: string) => {
    const manifest = JSON.parse(text);
    manifest.files.push({ ...manifest.files[0], bytes: 1 });
    return `${JSON.stringify(manifest, null, 2)}\n`;
  };
  assert.match((await foundAfter(pack, 'manifest.json', twice)).join(), /names a file twice/);
});

test('an additional member, or another text of the same data, in an event is rejected, even if all hashes were made again', async (t) => {
  const pack = await makePack(t);
  const chain = await pageEvents(pack.db, 'B-1', 0, 100);
  const last = chain.at(-1);
  assert.ok(last);
  const before = chain.at(-2)?.hash ?? '';
  const withBody = (body: string) => {
    const hash = chainHash(before, { ...last, body });
    return [{ ...last, body, hash }, hash] as const;
  };
  for (const body of [`${last.body.slice(0, -1)},"version":1}`, `${last.body} `, last.body.replace(':1', ':1.0')]) {
    assert.notEqual(body, last.body);
    const [event, hash] = withBody(body);
    const events = [...chain.slice(0, -1), event];
    const lines = events.map(({ batch_id, seq, at, actor, kind, row_no, body: text, hash: own }) =>
      JSON.stringify({ batch_id, seq, at, actor, kind, row_no, body: text, hash: own }),
    );
    pack.files.set('manifest.json', Buffer.from(String(pack.files.get('manifest.json')).replace(last.hash, hash)));
    pack.files.set('summary.json', Buffer.from(String(pack.files.get('summary.json')).replace(last.hash, hash)));
    const found = await foundAfter(pack, 'events.jsonl', () => `${lines.join('\n')}\n`);
    assert.match(found.join(), /the body of event 31 is not written as the program writes it/);
    pack.files.set('manifest.json', Buffer.from(String(pack.files.get('manifest.json')).replace(hash, last.hash)));
    pack.files.set('summary.json', Buffer.from(String(pack.files.get('summary.json')).replace(hash, last.hash)));
  }
});

const cells: [rowNo: number, column: string, value: string][] = [
  [10, 'generation', '01'],
  [10, 'generation', '1.0'],
  [9, 'attempts', '00'],
  [10, 'network_id', '1.0'],
  [10, 'amount', '100.50 '],
  [10, 'status', 'Skipped'],
  [1, 'first_sent_at', '2026-11-01T08:00:01Z'],
  [1, 'completed_at', '2026-11-01T09:00:01.900+01:00'],
  [3, 'line', '3.0'],
  [3, 'line', '2'],
];

for (const [rowNo, column, value] of cells)
  test(`results with ${JSON.stringify(value)} as ${column} are rejected`, async (t) => {
    const pack = await makePack(t);
    const edit = (text: string) => {
      const lines = text.split('\n');
      const row = (lines[rowNo] ?? '').split(',');
      row[lines[0]?.split(',').indexOf(column) ?? -1] = value;
      return lines.with(rowNo, row.join(',')).join('\n');
    };
    const found = await foundAfter(pack, 'results.csv', edit);
    assert.match(
      found.join('\n'),
      new RegExp(`row ${rowNo} has (.*, )?${column}(, .*)? in another form than results have`),
    );
  });

test('an additional member in the list of anchored heads is rejected', async (t) => {
  const pack = await makePack(t);
  const chain = await pageEvents(pack.db, 'B-1', 0, 100);
  const head = { batch_id: 'B-1', place: 'file heads', events: 20, head: chain[19]?.hash ?? '' };
  await insertAnchor(pack.db, { ...head, anchored_at: startMs, receipt: null });
  const { dir } = await writeReports(pack.db, 'B-1', folderOf(t), signedBy(pack.db, pack.key));
  assert.deepEqual((await verifyReports(dir)).findings, []);
  const path = join(dir, 'anchors.json');
  const note = [
    { place: 'file heads', at: new Date(startMs).toISOString(), events: 20, head: head.head, receipt: null, note: 'x' },
  ];
  await writeFile(path, `${JSON.stringify(note, null, 2)}\n`);
  assert.match((await verifyReports(dir)).findings.map(({ message }) => message).join(), /unknown name/);
});
