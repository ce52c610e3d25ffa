import assert from 'node:assert/strict';
import { generateKeyPairSync, sign } from 'node:crypto';
import { test } from 'node:test';
import { verifyReports } from '../../src/verify/verify.ts';
import { makeChooser, makePack, signAnew } from './pack.ts';

type Chooser = ReturnType<typeof makeChooser>;

/** Ways to change the lines of a text. */
const lineTampers: Record<string, (lines: string[], chooser: Chooser) => string[]> = {
  'a line deleted': (lines, { below }) => lines.toSpliced(below(lines.length), 1),
  'two lines exchanged': (lines, { below }) => {
    const [a, b] = [below(lines.length), below(lines.length)];
    return lines.with(a, lines[b] as string).with(b, lines[a] as string);
  },
  'a line doubled': (lines, { below }) => lines.toSpliced(below(lines.length), 0, lines[below(lines.length)] as string),
  'the end cut off': (lines, { below }) => lines.slice(0, below(lines.length)),
};

/** Ways to change any file; null deletes it. */
const fileTampers: Record<string, (content: Buffer, chooser: Chooser) => Buffer | null> = {
  'a bit flipped': (content, { below }) => {
    const changed = Buffer.from(content);
    const at = below(changed.length);
    changed[at] = (changed[at] as number) ^ (1 << below(8));
    return changed;
  },
  'a byte inserted': (content, { below }) => {
    const at = below(content.length + 1);
    return Buffer.concat([content.subarray(0, at), Buffer.from([below(256)]), content.subarray(at)]);
  },
  'bytes deleted': (content, { below }) => {
    const at = below(content.length);
    return Buffer.concat([content.subarray(0, at), content.subarray(at + 1 + below(20))]);
  },
  truncated: (content, { below }) => content.subarray(0, below(content.length)),
  'the file deleted': () => null,
  ...Object.fromEntries(
    Object.entries(lineTampers).map(([name, tamper]) => [
      name,
      (content: Buffer, chooser: Chooser) =>
        Buffer.from(tamper(content.toString('latin1').split(/(?<=\n)/), chooser).join(''), 'latin1'),
    ]),
  ),
};

test('every change of one file at a random place is found, hundreds of times', async (t) => {
  const pack = await makePack(t);
  assert.equal((await verifyReports(pack.dir)).ok, true, 'untouched reports verify');
  const chooser = makeChooser(1);
  let tampered = 0;
  while (tampered < 700) {
    const name = chooser.pick([...pack.files.keys()]);
    const kind = chooser.pick(Object.keys(fileTampers));
    const original = pack.files.get(name) as Buffer;
    const changed = fileTampers[kind]?.(original, chooser) ?? null;
    if (changed?.equals(original)) continue;
    tampered += 1;
    await pack.put(new Map([[name, changed]]));
    const { ok, findings } = await verifyReports(pack.dir);
    assert.equal(ok, false, `${name}: ${kind} (change ${tampered})`);
    assert.notEqual(findings.length, 0);
  }
  await pack.put(new Map());
  assert.equal((await verifyReports(pack.dir)).ok, true, 'put back, they verify again');
});

test('one event changed, deleted, doubled, moved or cut off is found even if all was signed again with the right key', async (t) => {
  const pack = await makePack(t);
  const chooser = makeChooser(2);
  const original = String(pack.files.get('events.jsonl'));
  const lines = original.split(/(?<=\n)/);
  const kinds = [...Object.keys(lineTampers), 'a value edited'];
  for (let tampered = 0; tampered < 200; ) {
    const kind = chooser.pick(kinds);
    const changed = kind === 'a value edited' ? editEvent(lines, chooser) : lineTampers[kind]?.([...lines], chooser);
    const text = changed?.join('') ?? '';
    if (text === original) continue;
    tampered += 1;
    await pack.put(signAnew(pack, 'events.jsonl', Buffer.from(text)));
    assert.equal((await verifyReports(pack.dir)).ok, false, kind);
  }
});

function editEvent(lines: string[], { below, pick }: Chooser): string[] {
  const at = below(lines.length);
  const event = JSON.parse(lines[at] as string);
  const field = pick(Object.keys(event));
  const value = event[field];
  event[field] = typeof value === 'number' ? value + 1 + below(5) : `${value ?? ''}x`;
  return lines.with(at, `${JSON.stringify(event)}\n`);
}

test('one row changed, deleted, doubled, moved or cut off is found even if all was signed again with the right key', async (t) => {
  const pack = await makePack(t);
  const chooser = makeChooser(3);
  const original = String(pack.files.get('results.csv'));
  const lines = original.trimEnd().split('\n');
  const kinds = [...Object.keys(lineTampers), 'a value edited'];
  for (let tampered = 0; tampered < 200; ) {
    const kind = chooser.pick(kinds);
    const [header = '', ...rows] = lines;
    const changed =
      kind === 'a value edited' ? editRow(header, rows, chooser) : lineTampers[kind]?.([...rows], chooser);
    const text = `${[header, ...(changed ?? [])].join('\n')}\n`;
    if (text === original) continue;
    tampered += 1;
    await pack.put(signAnew(pack, 'results.csv', Buffer.from(text)));
    assert.equal((await verifyReports(pack.dir)).ok, false, `${kind}\n${text}`);
  }
});

/** What says who was paid how much, under which names: the columns that the chain, the sums and the keys bind. */
const boundColumns = [
  'row',
  'row_ref',
  'status',
  'amount',
  'currency',
  'generation',
  'topup_id',
  'reference',
  'idempotency_key',
  'cost',
];

function editRow(header: string, rows: string[], { below, pick }: Chooser): string[] {
  const column = header.split(',').indexOf(pick(boundColumns));
  // The rows that were paid: of the others some columns are empty or stand for nothing.
  const at = below(7);
  const cells = (rows[at] as string).split(',');
  const value = cells[column] as string;
  cells[column] = /^[\d.]+$/.test(value) ? String(Number(value) + 1 + below(5)) : `${value}x`;
  return rows.with(at, cells.join(','));
}

test('results that were saved again with a byte order mark have other bytes and the same rows', async (t) => {
  const pack = await makePack(t);
  const marked = Buffer.concat([Buffer.from('\uFEFF'), pack.files.get('results.csv') as Buffer]);
  await pack.put(signAnew(pack, 'results.csv', marked));
  assert.deepEqual((await verifyReports(pack.dir)).findings, []);
  await pack.put(new Map([...pack.files, ['results.csv', marked]]));
  const { findings } = await verifyReports(pack.dir);
  assert.deepEqual(
    findings.map(({ file }) => file),
    ['results.csv'],
  );
});

test('a key that two rows use is reported with the second row', async (t) => {
  const pack = await makePack(t);
  const [header = '', ...rows] = String(pack.files.get('results.csv')).trimEnd().split('\n');
  const column = header.split(',').indexOf('idempotency_key');
  const keys = rows.map((row) => row.split(',')[column] ?? '');
  const doubled = rows.with(4, (rows[4] as string).replace(keys[4] as string, keys[1] as string));
  await pack.put(signAnew(pack, 'results.csv', Buffer.from(`${[header, ...doubled].join('\n')}\n`)));
  const { findings } = await verifyReports(pack.dir);
  const said = findings.filter(({ message }) => message.includes('used before'));
  assert.deepEqual(
    said.map(({ message }) => message),
    [`row 5 uses a key that was used before: ${keys[1]}.`],
  );
});

test('a line of the chain that is not an event is reported', async (t) => {
  const pack = await makePack(t);
  const lines = String(pack.files.get('events.jsonl')).split(/(?<=\n)/);
  const fields = { batch_id: 7, seq: '3', at: 1.5, actor: null, kind: 7, row_no: 1e15, body: {}, hash: false };
  const wrong = Object.entries(fields).map(([name, value]) => ({ ...JSON.parse(lines[2] as string), [name]: value }));
  for (const event of [...wrong, [], 'text', null]) {
    const text = lines.with(2, `${JSON.stringify(event)}\n`).join('');
    await pack.put(signAnew(pack, 'events.jsonl', Buffer.from(text)));
    const { findings } = await verifyReports(pack.dir);
    assert.match(findings[0]?.message ?? '', /^cannot be read: (line 3 is no event|.* is no object)\.$/, text);
  }
});

test('reports signed with a forger’s key are found if the right key is given', async (t) => {
  const pack = await makePack(t);
  const forger = generateKeyPairSync('ed25519');
  const manifest = JSON.parse(String(pack.files.get('manifest.json')));
  manifest.public_key = forger.publicKey.export({ format: 'pem', type: 'spki' });
  const text = Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`);
  await pack.put(
    new Map([
      ['manifest.json', text],
      ['manifest.sig', sign(null, text, forger.privateKey)],
    ]),
  );
  assert.equal((await verifyReports(pack.dir)).ok, true, 'by themselves they are one piece');
  const { ok, findings } = await verifyReports(pack.dir, { publicKey: pack.key.publicKey });
  assert.equal(ok, false);
  assert.match(findings[0]?.message ?? '', /another key/);
});
