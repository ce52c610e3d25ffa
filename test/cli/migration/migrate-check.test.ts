import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { sandboxHere } from '../../support/sandbox-process.ts';

const header = 'msisdn,amount,productId,extRefId,sendSMS,processingMode,employee';

function fileOf(t: TestContext, ...lines: string[]): { cwd: string; file: string } {
  const folder = folderOf(t);
  const file = join(folder, 'september.csv');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return { cwd: folder, file };
}

interface Note {
  field: string;
  effect: string;
  to: string | null;
}

async function check(cwd: string, file: string, ...options: string[]) {
  const args = ['migrate-check', file, '--from', 'v1', '--to', 'v2', '--json', ...options];
  const { code, stdout, stderr } = await runHere(args, { cwd });
  const { rows, ...rest } = JSON.parse(stdout);
  const notes = (rows as { line: number; notes: Note[] }[]).map(({ line, notes }) => [
    line,
    ...notes.map(({ field, effect, to }) => `${field} ${effect} ${to}`),
  ]);
  return { code, stderr, notes, ...rest };
}

describe('airbatch migrate-check', () => {
  test('says what each row becomes, with what both versions know of its network and product', async (t) => {
    const { cwd, file } = fileOf(
      t,
      header,
      '254712345678,100,,a,,,Amina',
      '254733514872,,202,b,,ASYNC,Otieno',
      '254712345679,50,100,c,,,Wanjiru',
    );
    const { code, counts, notes } = await check(cwd, file);
    assert.equal(code, 0);
    assert.deepEqual(counts, { total: 3, as_they_are: 0, known: 3, person: 0 });
    assert.deepEqual(notes, [
      [2, 'phone_number changes +254712345678', 'network_id changes 1', 'currency changes KES'],
      [
        3,
        'phone_number changes +254733514872',
        'network_id changes 2',
        'product_id changes 202',
        'processing dropped null',
      ],
      [
        4,
        'phone_number changes +254712345679',
        'network_id changes 1',
        'currency changes KES',
        'product_id dropped null',
      ],
    ]);
  });

  test('names the rows for which a person is needed, with exit code 4', async (t) => {
    const { cwd, file } = fileOf(t, header, '254712345678,100,,a,yes,,Amina', '2.54713E+11,5,,b,,,Otieno');
    const { code, counts, notes } = await check(cwd, file);
    assert.equal(code, 4);
    assert.equal(counts.person, 2);
    assert.deepEqual(notes[0]?.at(-1), 'sms_message needed null');
    assert.deepEqual(notes[1]?.slice(0, 3), [3, 'phone_number needed null', 'network_id needed null']);
  });

  test('shows people the same kinds of changes together, and leaves nothing behind', async (t) => {
    const rows = Array.from({ length: 40 }, (_, index) => `2547123456${10 + index},100,,r-${index},,,`);
    const { cwd, file } = fileOf(t, header, ...rows, ',100,,last,,,');
    const { code, stdout, stderr } = await runHere(['migrate-check', file], { cwd });
    assert.equal(code, 4, stderr);
    assert.match(
      stdout,
      /^File {7}41 rows of Version 1\nReady {6}0 rows .*\nChanges {4}40 rows.*\nTo decide {2}1 row:/m,
    );
    assert.match(stdout, /^phone_number +40 {2}254712345610 becomes \+254712345610 +Version 2 wants a leading "\+"$/m);
    assert.match(stdout, /^ *42 {2}phone_number +\(empty\) +is no number in international format/m);
    assert.match(stdout, /never send the same file to both/);
    assert.match(stderr, /those of the sandbox/);
    assert.deepEqual(readdirSync(cwd), ['september.csv']);
  });

  test('asks the accounts that are configured, and says when the old one is not', async (t) => {
    const { cwd, file } = fileOf(t, header, '254712345678,,102,a,,,');
    const sandbox = await sandboxHere(t);
    const { code, stdout, stderr } = await runHere(['migrate-check', file], { cwd, env: sandbox.env });
    assert.equal(code, 4, stderr);
    assert.match(stdout, /The products of Version 1 could not be looked up: .*--old-account/);
    const unknown = await runHere(['migrate-check', file, '--old-account', 'default'], { cwd, env: sandbox.env });
    assert.equal(unknown.code, 2);
    assert.match(unknown.stderr, /not an account of version v1/);
  });

  test('rejects a file without numbers, or with nothing to pay, with exit code 3', async (t) => {
    for (const columns of ['amount,extRefId', 'msisdn,extRefId', 'msisdn,phone,amount']) {
      const { cwd, file } = fileOf(t, columns, '254712345678,a,b');
      const { code, stderr } = await runHere(['migrate-check', file], { cwd });
      assert.equal(code, 3, stderr);
      assert.match(stderr, /FILE_REJECTED/);
    }
  });
});
