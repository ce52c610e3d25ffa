import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { execute } from '../../../src/cli/batches/release.ts';
import { askedTerminal, type Person } from '../../support/asked-terminal.ts';
import { runHere } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

test('airbatch release shows why rows are held and what they would pay, and asks if a person can answer', async (t) => {
  const cwd = folderOf(t);
  const rows = [
    '+254712101001,1,100,KES',
    '+254712101001,1,100,KES',
    '+254712101002,1,50,KES',
    '+254712101002,1,50,KES',
  ];
  writeFileSync(join(cwd, 'twice.csv'), ['phone_number,network_id,amount,currency', ...rows, ''].join('\n'));
  const { stdout } = await runHere(['submit', 'twice.csv', '--account', 'sandbox', '--json'], { cwd });
  const batch = JSON.parse(stdout).batch_id as string;
  /** What is said and asked, and the exit code, of somebody who answers so. */
  const release = async (args: string[], { yes, ...person }: Person & { yes?: boolean }) => {
    const { context, said, asked } = askedTerminal(cwd, person);
    return { code: await execute(context, [batch, ...args], { yes }), said: said(), asked };
  };
  const held = JSON.parse((await runHere(['status', batch, '--json'], { cwd })).stdout).attention as {
    row: number;
  }[];
  const [first, second] = held.map(({ row }) => String(row));
  assert.ok(first && second);

  const declined = await release([], {});
  assert.equal(declined.code, 5);
  assert.match(
    declined.said,
    new RegExp(
      `^Held +${held.length} rows: KES [0-9.]+\n +${held.length} rows for DUPLICATE: The same number gets the same payment twice\n +row ${first} `,
    ),
  );
  assert.match(declined.asked[0] ?? '', new RegExp(`^Release ${held.length} rows: KES [0-9.]+\\? \\[y/N\\] $`));
  assert.match(declined.said, /Not released: the rows stay held\.\n$/);

  const named = await release([first], { answer: true });
  assert.equal(named.code, 0);
  assert.match(named.asked[0] ?? '', /^Release 1 row: KES /);
  assert.match(named.said, /Released 1 row\./);

  const piped = await release([second], { canAsk: false });
  assert.deepEqual([piped.code, piped.asked], [0, []]);
  assert.match(piped.said, /^Held +1 row: KES .*\n.*for [A-Z_]+: [A-Z].*\n/);
  const json = await release([], { json: true });
  assert.deepEqual([json.code, json.asked], [0, []]);
  assert.equal(JSON.parse(json.said).batch_id, batch);
});

test('airbatch release is for people who operate, and shows the state of the batch', async (t) => {
  const cwd = folderOf(t);
  const rows = ['+254712101001,1,100,KES', '+254712101001,1,100,KES'];
  writeFileSync(join(cwd, 'twice.csv'), ['phone_number,network_id,amount,currency', ...rows, ''].join('\n'));
  const { stdout } = await runHere(['submit', 'twice.csv', '--account', 'sandbox', '--json'], { cwd });
  const batch = JSON.parse(stdout).batch_id as string;
  const release = (people: Record<string, string[]>) => {
    writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ people }));
    return runHere(['release', batch, '--json'], { cwd });
  };
  const me = userInfo().username;
  assert.match((await release({ approve: [me], operate: ['ann'] })).stdout, /ROLE_MISSING/);
  const done = await release({ approve: ['joe'], operate: [me] });
  assert.equal(done.code, 0, done.stderr);
  assert.deepEqual(JSON.parse(done.stdout), {
    batch_id: batch,
    released: 1,
    kept: [],
    status: 'approved',
    is_worked_on: false,
  });
});

test('airbatch release asks nobody who may not release', async (t) => {
  const cwd = folderOf(t);
  const policy = { approval: { needed: 'always' } };
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ policy }));
  const rows = ['+254712101001,1,100,KES', '+254712101001,1,100,KES'];
  writeFileSync(join(cwd, 'twice.csv'), ['phone_number,network_id,amount,currency', ...rows, ''].join('\n'));
  const { stdout, stderr } = await runHere(['submit', 'twice.csv', '--account', 'sandbox', '--json'], { cwd });
  const batch = (stdout ? JSON.parse(stdout).batch_id : stderr) as string;
  const { context, said, asked } = askedTerminal(cwd, { answer: true });
  await assert.rejects(execute(context, [batch], {}), { code: 'SECOND_PERSON_NEEDED' });
  assert.match(said(), /^Held /);
  assert.deepEqual(asked, []);
});
