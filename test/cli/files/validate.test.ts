import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';

const sample = resolve(import.meta.dirname, '../../../samples/payroll.csv');
const launcher = resolve(import.meta.dirname, '../../../src/cli/airbatch.js');

function write(folder: string, name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

describe('airbatch validate', () => {
  test('summarises what is right and wrong, and leaves nothing behind', async (t) => {
    const cwd = folderOf(t);
    const { code, stdout, stderr } = await runHere(['validate', sample], { cwd });
    assert.equal(code, 4, stderr);
    assert.match(stdout, /40 rows: 28 to pay, 12 wrong/);
    assert.match(stdout, /Read as {4}UTF-8, separated by commas/);
    assert.match(stdout, /kept but not read: "employee"/);
    assert.match(stdout, /KE {7}6 rows: KES 3,800\.50/);
    assert.match(stdout, /PHONE_DIGITS_LOST.* in 1 row\n {2}line 32: .*lost digits/);
    assert.deepEqual(readdirSync(cwd), []);
  });

  test('counts products if no amount is asked for, and writes large numbers as everywhere', async (t) => {
    const cwd = folderOf(t);
    const rows = Array.from({ length: 1_200 }, (_, index) => `+2547124${String(index).padStart(5, '0')},1,102`);
    const file = write(cwd, 'p.csv', 'phone_number,network_id,product_id', ...rows);
    const { stdout } = await runHere(['validate', file], { cwd });
    assert.match(stdout, /^File {7}1,200 rows: 1,200 to pay, 0 wrong$/m);
    assert.match(
      stdout,
      /^To pay {5}1,200 products\nProducts {3}1,200 rows buy a product, whose price is not in the sums above\n {2}KE {7}1,200 rows$/m,
    );
  });

  test('shows every kind of problem, however many there are', async (t) => {
    const cwd = folderOf(t);
    const { stdout } = await runHere(['validate', sample], { cwd });
    const { problems } = JSON.parse((await runHere(['validate', sample, '--json'], { cwd })).stdout);
    const shown = [...stdout.matchAll(/^([A-Z_]+) in \d+ rows?$/gm)].map(([, code]) => code);
    assert.deepEqual(
      shown,
      problems.map(({ code }: { code: string }) => code),
    );
    assert.ok(shown.length > 10, stdout);
  });

  test('says once what several rows have in common', async (t) => {
    const cwd = folderOf(t);
    const rows = ['Acme', 'Acme', 'Orbit', 'Acme'].map((network, index) => `+25471240511${index},${network},5,KES`);
    const file = write(cwd, 'n.csv', 'phone_number,network_id,amount,currency', ...rows);
    const { stdout } = await runHere(['validate', file], { cwd });
    const lines =
      / in 4 rows\n {2}lines 2, 3: Kenya has no network named "Acme"\.\n {2}line 4: .*"Orbit"\.\n {2}Choose one of/;
    assert.match(stdout, lines);
  });

  test('says what to do about each row, if that differs', async (t) => {
    const cwd = folderOf(t);
    const rows = ['+254712405118', '+221771234567', '+254712405119'].map((number) => `${number},Acme,5,KES`);
    const file = write(cwd, 'n.csv', 'phone_number,network_id,amount,currency', ...rows);
    const { stdout } = await runHere(['validate', file], { cwd });
    assert.match(
      stdout,
      / in 3 rows\n {2}lines 2, 4: Kenya .*\n {2}Choose one of 1 \(.*Kenya\)\.\n {2}line 3: Senegal .*\n {2}Choose one of 33 \(.*Senegal\)\./,
    );
  });

  test('says what can be done about held rows before a batch has them', async (t) => {
    const cwd = folderOf(t);
    const rows = ['+254712405118,1,5,KES', '+254712405118,1,5,KES'];
    const file = write(cwd, 'h.csv', 'phone_number,network_id,amount,currency', ...rows);
    const { stdout } = await runHere(['validate', file], { cwd });
    assert.match(
      stdout,
      /DUPLICATE in 1 row\n {2}line 3: .*\n {2}Release it .*\n\nYou can release or skip held rows after you run or submit the file\. Before that, delete the rows you do not want\.$/m,
    );
  });

  test('shows unusual amounts, as a run does', async (t) => {
    const cwd = folderOf(t);
    const rows = [100, 100, 120, 5_000, 100, 5_000].map((amount, index) => `+25471240511${index},1,${amount},KES`);
    const file = write(cwd, 'u.csv', 'phone_number,network_id,amount,currency', ...rows);
    const told = /^Unusual {4}KES 5,000\.00 \(lines 5, 7\): half of the rows ask for KES 100\.00 or less$/m;
    assert.match((await runHere(['validate', file], { cwd })).stdout, told);
    assert.match((await runHere(['run', file, '--yes'], { cwd })).stderr, told);
    const { unusual } = JSON.parse((await runHere(['validate', file, '--json'], { cwd })).stdout);
    assert.deepEqual(unusual, [{ currency: 'KES', amount: '5000', usual: '100', lines: [5, 7] }]);
  });

  test('shows amounts far below the others, and the decimal sign', async (t) => {
    const cwd = folderOf(t);
    const rows = ['1500', '2000', '"15,00"', '1800', '1500'].map(
      (amount, index) => `+25471240511${index},1,${amount},KES`,
    );
    const file = write(cwd, 'l.csv', 'phone_number,network_id,amount,currency', ...rows);
    for (const args of [
      ['validate', file],
      ['run', file, '--yes'],
    ]) {
      const { stdout, stderr } = await runHere(args, { cwd });
      const shown = args[0] === 'run' ? stderr : stdout;
      assert.match(shown, /^Unusual {4}KES 15\.00 \(line 4\): half of the rows ask for KES 1,500\.00 or more$/m);
      assert.match(shown, /^Read as {4}UTF-8, separated by commas, decimal comma$/m);
    }
  });

  test('asks about amounts that can be read in two ways, and --decimal answers', async (t) => {
    const cwd = folderOf(t);
    const rows = ['"1,500"', '"99,50"'].map((amount, index) => `+25471240511${index},1,${amount},KES`);
    const file = write(cwd, 'd.csv', 'phone_number,network_id,amount,currency', ...rows);
    const sums = async (...options: string[]) => {
      const { stdout } = await runHere(['validate', file, '--json', ...options], { cwd });
      return JSON.parse(stdout).sums;
    };
    assert.deepEqual(await sums(), { KES: '99.5' });
    assert.deepEqual(await sums('--decimal', '.'), { KES: '1599.5' });
    assert.deepEqual(await sums('--decimal', ','), { KES: '101' });
    const wrong = await runHere(['validate', file, '--decimal', 'comma'], { cwd });
    assert.match(wrong.stderr, /--decimal takes "auto", "\." or ",", not "comma"/);
    assert.equal(wrong.code, 2);
  });

  test('has the same content as JSON', async (t) => {
    const { stdout } = await runHere(['validate', sample, '--json'], { cwd: folderOf(t) });
    const { exit_code, counts, problems, countries } = JSON.parse(stdout);
    assert.equal(exit_code, 4);
    assert.deepEqual(counts, { rows: 40, valid: 28, invalid: 12, held: 0, skipped: 0 });
    assert.equal(countries.KE.rows, 6);
    const lost = problems.find(({ code }: { code: string }) => code === 'PHONE_DIGITS_LOST');
    assert.deepEqual([lost.count, lost.examples[0].line, lost.examples[0].column], [1, 32, 'phone_number']);
  });

  test('names the advice for a total line, however many rows have the same problem', async (t) => {
    const cwd = folderOf(t);
    const wrong = ['ask Mary', 'ask Joe', 'ask Ann', 'ask Bob'].map((name) => `${name},1,5,KES`);
    write(cwd, 'a.csv', 'phone_number,network_id,amount,currency', ...wrong, 'TOTAL,,20,KES', 'ask Eve,1,5,KES');
    const { stdout } = await runHere(['validate', 'a.csv'], { cwd });
    assert.match(stdout, /PHONE_NOT_A_NUMBER in 6 rows\n {2}lines 2, 3: .*\n.*\n {2}line 6: .*\n.*--total-line skip/);
  });

  test('says how many more rows have a problem, and which file has those to correct', async (t) => {
    const cwd = folderOf(t);
    const wrong = Array.from({ length: 5 }, (_, index) => `+25471240512${index},1,five,KES`);
    const twice = Array.from({ length: 6 }, () => '+254712405118,1,5,KES');
    write(cwd, 'a.csv', 'phone_number,network_id,amount,currency', ...wrong, '+254712405119,1,five,KES', ...twice);
    const { stdout } = await runHere(['validate', 'a.csv'], { cwd });
    assert.match(
      stdout,
      /AMOUNT_NOT_A_NUMBER in 6 rows\n {2}lines 2, 3, 4: .*\n.*\n {2}and 3 more rows: --errors FILE writes all of them$/m,
    );
    // These are not wrong, so that file does not have them.
    assert.match(stdout, /DUPLICATE in 5 rows\n(?: {2}line \d+: .*\n){3}.*\n {2}and 2 more rows\n/);
    const { stdout: written } = await runHere(['validate', 'a.csv', '--errors', 'wrong.csv'], { cwd });
    assert.match(written, /^ {2}and 3 more rows: wrong\.csv has them all$/m);
    assert.equal(readFileSync(join(cwd, 'wrong.csv'), 'utf8').trim().split('\n').length, 1 + 6);
    write(cwd, 'b.csv', 'phone_number,network_id,amount,currency', ...wrong.slice(0, 3));
    assert.doesNotMatch((await runHere(['validate', 'b.csv'], { cwd })).stdout, /more row/);
  });

  test('finds what a run would find at the service, such as a network of another country', async (t) => {
    const cwd = folderOf(t);
    const header = 'phone_number,network_id,amount,currency';
    const file = write(cwd, 'a.csv', header, '+254712345678,Safaricom Kenya,5,KES', '+254712345679,12,5,KES');
    const { stdout, code } = await runHere(['validate', file, '--json'], { cwd });
    assert.equal(code, 4);
    const { counts, problems } = JSON.parse(stdout);
    assert.deepEqual([counts.valid, problems[0].code], [1, 'NETWORK_UNKNOWN']);
  });

  test('writes the rows to correct, which can be run again after correction', async (t) => {
    const cwd = folderOf(t);
    const file = write(
      cwd,
      'a.csv',
      'Simu;Mtandao;Kiasi;Sarafu;Jina;Kumbukumbu',
      '0712345678;1;5;KES;=HYPERLINK("x");-1',
      '+254712345679;1;7;KES;Otieno;B',
      '+254712345670;1;0;KES;Wanjiru;C',
    );
    const first = await runHere(['validate', file, '--errors', 'errors.csv'], { cwd });
    assert.equal(first.code, 4, first.stderr);
    const errors = readFileSync(join(cwd, 'errors.csv'), 'utf8');
    const form = { bom: true, delimiter: ';' };
    const lines = parse(errors, form) as string[][];
    assert.deepEqual(
      lines.map((line) => line.slice(0, 6)),
      [
        ['Simu', 'Mtandao', 'Kiasi', 'Sarafu', 'Jina', 'Kumbukumbu'],
        ['0712345678', '1', '5', 'KES', '\'=HYPERLINK("x")', "'-1"],
        ['+254712345670', '1', '0', 'KES', 'Wanjiru', 'C'],
      ],
    );
    assert.deepEqual(lines[0]?.slice(6), ['problem', 'suggestion']);
    assert.match(lines[1]?.[6] ?? '', /country code/);
    assert.notEqual(lines[1]?.[7], '');
    writeFileSync(join(cwd, 'errors.csv'), errors.replace('0712345678', '+254712345678').replace(';0;', ';9;'));
    const again = await runHere(['validate', 'errors.csv', '--json', '--errors', 'none.csv'], { cwd });
    assert.equal(again.code, 0, again.stdout);
    assert.deepEqual(JSON.parse(again.stdout).sums, { KES: '14' });
    assert.equal(parse(readFileSync(join(cwd, 'none.csv'), 'utf8'), form).length, 1);
  });

  test('shows the command that runs the corrected file, with the options for reading it', async (t) => {
    const cwd = folderOf(t);
    write(cwd, 'a.csv', 'tel,net,sum', '0712405118,1,5', 'ask Mary,1,5');
    const options = ['--country', 'KE', '--currency', 'KES', '--map', 'phone_number=tel', '--map', 'network_id=net'];
    const validate = () =>
      runHere(['validate', 'a.csv', ...options, '--map', 'amount=sum', '--errors', 'my errors.csv'], { cwd });
    assert.match(
      (await validate()).stdout,
      /^1 row to correct: my errors\.csv\. Correct it, and run it under the NAME of the whole payout \(nothing is paid twice\): airbatch run 'my errors\.csv' --run-id NAME --country KE --currency KES --map phone_number=tel /m,
    );
    write(cwd, 'a.csv', 'tel,net,sum', '0712405118,1,5');
    assert.match((await validate()).stdout, /^There is no row to correct\.$/m);
  });

  test('does not overwrite the file that it reads, nor write where it cannot', async (t) => {
    const cwd = folderOf(t);
    const file = write(cwd, 'a.csv', 'phone,network,amount,currency', '+254712345678,1,5,KES');
    const before = readFileSync(file, 'utf8');
    for (const errors of ['a.csv', 'no/such/folder.csv']) {
      const { code, stderr } = await runHere(['validate', file, '--errors', errors], { cwd });
      assert.equal(code, 2, stderr);
    }
    assert.equal(readFileSync(file, 'utf8'), before);
  });

  test('reads the columns of its options, and checks the file against expected sums', async (t) => {
    const cwd = folderOf(t);
    const file = write(cwd, 'a.csv', 'Home,Handy,network,Net pay', '020,0712345678,1,5', '020,0722345678,1,7.50');
    const told = ['--map', 'phone_number=Handy', '--map', 'amount=Net pay', '--country', 'KE', '--currency', 'KES'];
    const right = ['validate', file, ...told, '--expect-rows', '2', '--expect-sum', 'KES=12.50'];
    const { code, stdout } = await runHere(right, { cwd });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /phone_number = "Handy", network_id = "network", amount = "Net pay"/);
    const wrong = await runHere(['validate', file, ...told, '--expect-rows', '3'], { cwd });
    assert.equal(wrong.code, 3);
    assert.match(wrong.stderr, /should have 3 rows, but has 2/);
    const unknown = await runHere(['validate', file, '--map', 'salary=Net pay'], { cwd });
    assert.equal(unknown.code, 2, unknown.stderr);
  });

  test('blames an option for its own fault, and not the configuration', async (t) => {
    const cwd = folderOf(t);
    for (const [name, value, message] of [
      ['--expect-rows', 'abc', /--expect-rows takes a whole number, not "abc"/],
      ['--expect-rows', '', /--expect-rows takes a whole number/],
      ['--country', 'kenya', /--country is a two-letter country code/],
      ['--currency', 'shillings', /--currency: "shillings" is not a currency code, which has three letters/],
      ['--expect-sum', 'shillings=5', /--expect-sum shillings: "shillings" is not a currency code/],
      ['--expect-sum', 'KES=lots', /--expect-sum KES is a decimal text/],
      ['--map', 'salary=Net pay', /--map has no field "salary"; it takes phone_number, .*amount, /],
      ['--map', 'amount', /--map cannot read "amount" \[USAGE\]\nWrite it as in --map amount="Net pay"\./],
      ['--sheet', '', /--sheet: /],
      ['--header-line', 'three', /--header-line takes a whole number/],
      ['--header-line', '0', /--header-line is a number of a line/],
      ['--total-line', 'leave', /--total-line takes "invalid" or "skip", not "leave"/],
    ] as const) {
      const { code, stderr } = await runHere(['validate', sample, name, value], { cwd });
      assert.equal(code, 2, stderr);
      assert.match(stderr, message);
      assert.match(stderr, /\[USAGE\]/);
      assert.doesNotMatch(stderr, /configuration/);
    }
  });

  test('refuses a sheet for a file that has none, before anything is stored', async (t) => {
    const cwd = folderOf(t);
    for (const command of [
      ['validate'],
      ['run', '--yes'],
      ['submit'],
      ['migrate-check', '--from', 'v1', '--to', 'v2'],
    ]) {
      const { code, stderr } = await runHere([...command, sample, '--sheet', 'November'], { cwd });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /is not a workbook \(\.xlsx\), so --sheet cannot be used \[USAGE\]/);
    }
    assert.match((await runHere(['status'], { cwd })).stdout, /No batches yet/);
    writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ intake: { sheet: 'November' } }));
    assert.equal((await runHere(['validate', sample], { cwd })).code, 4);
  });

  test('says which code a country has, if two letters are not a code', async (t) => {
    const cwd = folderOf(t);
    for (const [value, hint] of [
      ['UK', /Write GB\./],
      ['XX', /Write a two-letter code/],
    ] as const) {
      const { code, stderr } = await runHere(['validate', sample, '--country', value], { cwd });
      assert.equal(code, 2, stderr);
      assert.match(stderr, /is not a country code/);
      assert.match(stderr, hint);
    }
  });

  test('reads standard input', (t) => {
    const cwd = folderOf(t);
    const { status, stdout } = spawnSync(process.execPath, [launcher, 'validate', '-', '--json'], {
      cwd,
      input: 'phone,network,amount,currency\n+254712345678,1,5,KES\n',
      encoding: 'utf8',
    });
    assert.equal(status, 0, stdout);
    const { file, counts } = JSON.parse(stdout);
    assert.deepEqual([file.name, counts.rows], ['standard input', 1]);
    assert.equal(existsSync(join(cwd, '.airbatch')), false);
  });

  test('can be interrupted while it reads, also by a closed terminal, and leaves nothing behind', async (t) => {
    const cwd = folderOf(t);
    const temporary = join(cwd, 'tmp');
    mkdirSync(temporary);
    const rows = Array.from({ length: 200_000 }, (_, index) => `+2547${10_000_000 + index},1,10,KES`).join('\n');
    const file = write(cwd, 'big.csv', 'phone_number,network_id,amount,currency', rows);
    const left = () => readdirSync(temporary).filter((name) => name !== 'node-compile-cache');
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const command = startCommand(['validate', file], { cwd, env: { TMPDIR: temporary } });
      await command.seen(/Rehearsal/);
      command.child.kill(signal);
      const { code, stderr } = await command.ended;
      assert.deepEqual([code, /nothing was sent/.test(stderr), left()], [130, true, []], `${signal}: ${stderr}`);
    }
  });
});

test('says that the embedded sandbox answered, if no account is configured', async (t) => {
  const folder = folderOf(t);
  for (const args of [['validate', sample], ['balance'], ['networks', 'KE'], ['products', '--network', '1']]) {
    const { stderr } = await runHere(args, { cwd: folder });
    assert.equal(stderr, 'Rehearsal at the embedded sandbox: no money moves (account "sandbox").\n', args[0]);
  }
});
