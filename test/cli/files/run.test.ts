import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { runHere, startCommand } from '../../support/command.ts';
import { folderOf } from '../../support/folder.ts';
import { makeLedgerIn } from '../../support/folder-ledger.ts';
import { isOnPostgres } from '../../support/ledger.ts';

const sample = resolve(import.meta.dirname, '../../../samples/payroll.csv');
const header = 'phone_number,network_id,amount,currency,product_id,reference,sms_message';

function write(folder: string, name: string, ...lines: string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

describe('airbatch run', () => {
  test('ends with its own file, and shows the open rows of another one that the service is slow with', {
    timeout: 600_000,
  }, async (t) => {
    const cwd = folderOf(t);
    const lasting = write(cwd, 'lasting.csv', header, '+254712400003,1,50,KES,,A-1,');
    assert.equal((await runHere(['submit', lasting], { cwd })).code, 0);
    const run = startCommand(['run', write(cwd, 'own.csv', header, '+254712405118,1,50,KES,,B-1,'), '--yes'], { cwd });
    t.after(() => run.child.kill('SIGKILL'));
    const { code, stderr } = await run.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /1 other batch of the account can continue: "airbatch resume" sends it\./);
    const { stdout } = await runHere(['status', '--json'], { cwd });
    assert.deepEqual(
      JSON.parse(stdout).batches.map((batch: { status: string; counts: object }) => [batch.status, batch.counts]),
      [
        ['completed', { completed: 1 }],
        ['running', { accepted: 1 }],
      ],
    );
  });

  test('sends nothing if its reports or its ledger cannot be written, and says so in one line', async (t) => {
    const cwd = folderOf(t);
    const file = write(cwd, 'p.csv', header, '+254712405118,1,50,KES,,A-1,');
    const run = await runHere(['run', file, '--yes', '--json', '--out', file], { cwd });
    assert.equal(run.code, 5, run.stderr);
    assert.equal(JSON.parse(run.stdout).error.code, 'FOLDER_UNWRITABLE');
    assert.doesNotMatch(run.stderr, / at .*\.ts:/);
    const { stdout } = await runHere(['status', '--json'], { cwd });
    const [batch] = JSON.parse(stdout).batches;
    assert.deepEqual(batch.counts, { ready: 1 });
    const resumed = await runHere(['resume', batch.batch_id, '--json'], { cwd });
    assert.equal(resumed.code, 0, resumed.stderr);

    const noLedger = await runHere(['submit', file, '--json', '--ledger', join(file, 'ledger.db')], { cwd });
    assert.equal(noLedger.code, 5, noLedger.stderr);
    assert.equal(JSON.parse(noLedger.stdout).error.code, 'LEDGER_IO');
    const shut = await runHere(['status', '--json', '--ledger', cwd], { cwd });
    assert.match(JSON.parse(shut.stdout).error.hint, /^Check that you may read and write the ledger/);
  });

  test('says what was paid if its reports can no longer be written, and how to write them', async (t) => {
    const cwd = folderOf(t);
    const file = write(cwd, 'p.csv', header, '+254712405118,1,50,KES,,A-1,');
    const { batch_id: batch } = JSON.parse((await runHere(['submit', file, '--json'], { cwd })).stdout);
    mkdirSync(join(cwd, 'reports'));
    write(cwd, `reports/${batch}`, 'in the way');
    const { code, stderr } = await runHere(['resume', batch], { cwd });
    assert.equal(code, 5, stderr);
    assert.match(
      stderr,
      new RegExp(`The row was paid: KES 50\\.00\\.\nError: .*\\[FOLDER_UNWRITABLE\\]\n.*"airbatch report ${batch}"`),
    );
    rmSync(join(cwd, 'reports', batch));
    assert.equal((await runHere(['report', batch], { cwd })).code, 0);
  });

  test('pays the sample at the embedded sandbox, and reports every row of it in file order', async (t) => {
    const cwd = folderOf(t);
    const run = await runHere(['run', sample, '--yes', '--json'], { cwd });
    assert.equal(run.code, 4, run.stderr);
    const { summary, reports } = JSON.parse(run.stdout);
    assert.equal(summary.sandbox, true);
    const { total, by_status: counts } = summary.rows;
    assert.equal(
      Object.values(counts as Record<string, number>).reduce((sum, count) => sum + count),
      total,
    );
    assert.equal(summary.balance.explained, true);
    const results = parse(readFileSync(join(reports.dir, 'results.csv')), { columns: true }) as Record<
      string,
      string
    >[];
    const input = parse(readFileSync(sample), { columns: true, bom: true }) as Record<string, string>[];
    assert.equal(results.length, input.length);
    for (const [index, line] of input.entries()) {
      const result = results[index] ?? {};
      assert.equal(result.row, String(index + 1));
      // A cell that a spreadsheet would run as a formula is neutralised by an apostrophe before it.
      for (const [column, cell] of Object.entries(line))
        assert.ok([cell, `'${cell}`].includes(result[`input_${column}`] ?? ''), `${column} of row ${index + 1}`);
    }
    assert.deepEqual(Object.keys(results[0] ?? {}).slice(0, 21), [
      'row',
      'row_ref',
      'status',
      'phone_number',
      'network_id',
      'amount',
      'currency',
      'product_id',
      'generation',
      'attempts',
      'topup_id',
      'reference',
      'idempotency_key',
      'service_status',
      'provider_reference',
      'cost',
      'cost_currency',
      'failure_code',
      'failure_reason',
      'first_sent_at',
      'completed_at',
    ]);
    assert.equal(existsSync(join(cwd, '.airbatch/ledger.db')), !isOnPostgres);
  });

  test('shows an amount far above the usual one before anything is sent', async (t) => {
    const cwd = folderOf(t);
    const rows = [1, 2, 3, 4, 5].map((row) => `+2547123459${row}7,1,${row === 4 ? '9500' : '95.5'},KES,,r${row},`);
    const run = await runHere(['run', write(cwd, 'slip.csv', header, ...rows), '--yes'], { cwd });
    assert.match(run.stderr, /^Unusual {4}KES 9,500.00 \(line 5\): half of the rows ask for KES 95.50 or less$/m);
    const usual = await runHere(['run', write(cwd, 'usual.csv', header, ...rows.toSpliced(3, 1)), '--yes'], { cwd });
    assert.doesNotMatch(usual.stderr, /Unusual/);
  });

  test('pays nothing twice when the same file is run again', async (t) => {
    const cwd = folderOf(t);
    const file = write(cwd, 'one.csv', header, '+254712345678,1,50,KES,,a,');
    const first = await runHere(['run', file, '--yes', '--json'], { cwd });
    assert.equal(first.code, 0, first.stderr);
    const again = await runHere(['run', file, '--yes', '--json'], { cwd });
    assert.equal(again.code, 0, again.stderr);
    assert.equal(JSON.parse(again.stdout).summary.rows.by_status.skipped, 1);
    const month = await runHere(['run', file, '--yes', '--country', 'KE'], { cwd });
    assert.match(
      month.stderr,
      /^Next {7}only if the same rows are to be paid once more, as for another month: airbatch run one\.csv --run-id NAME --country KE, with a new NAME for each payout$/m,
    );
    const named = ['run', file, '--yes', '--run-id', 'november'];
    assert.equal((await runHere(named, { cwd })).code, 5);
    assert.doesNotMatch((await runHere(named, { cwd })).stderr, /once more/);
  });

  test('needs --yes if nobody can answer, and says so before it reads anything', async (t) => {
    const cwd = folderOf(t);
    const run = await runHere(['run', sample], { cwd });
    assert.equal(run.code, 2);
    assert.match(run.stderr, /--yes/);
    assert.equal(existsSync(join(cwd, '.airbatch')), false);
  });

  test('reports a refused key if the service refuses the networks that the file names', async (t) => {
    const cwd = folderOf(t);
    const file = write(cwd, 'x.csv', header, '+254712405118,Safaricom Kenya,50,KES,,B-1,');
    const service = createServer((_request, response) => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end('{"success":false,"error":{"code":"UNAUTHORIZED","message":"wrong key","statusCode":401}}');
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    t.after(() => service.close());
    const { port } = service.address() as AddressInfo;
    const env = { AIRBATCH_BASE_URL: `http://127.0.0.1:${port}`, AIRBATCH_API_KEY: 'k' };
    const run = await runHere(['run', file, '--yes'], { cwd, env });
    assert.equal(run.code, 6, run.stderr);
    assert.match(
      run.stderr,
      /rejects the credentials of account "default" \(AIRBATCH_API_KEY\): UNAUTHORIZED, wrong key \[CREDENTIALS_REJECTED\]\nCorrect AIRBATCH_API_KEY where it is set, then try again: nothing was sent\.\n$/,
    );
  });

  test('imports no unattended file while its networks cannot be looked up, and says when to run it again', async (t) => {
    const cwd = folderOf(t);
    const file = write(cwd, 'x.csv', header, '+254712405118,1,50,KES,,B-1,', '+254712405119,Safaricom,50,KES,,B-2,');
    const service = createServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '1800', 'content-type': 'application/json' });
      response.end('{"success":false,"error":{"code":"RATE_LIMITED","message":"wait","statusCode":429}}');
    });
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const { port } = service.address() as AddressInfo;
    const env = { AIRBATCH_BASE_URL: `http://127.0.0.1:${port}`, AIRBATCH_API_KEY: 'k' };
    const runIn = (folder: string) => runHere(['run', file, '--yes'], { cwd: folder, env });
    const waiting = await runIn(cwd);
    assert.equal(waiting.code, 5, waiting.stderr);
    assert.match(
      waiting.stderr,
      /Error: the networks that x\.csv names could not be looked up: the service throttles account default until .* UTC \[SERVICE_UNREACHABLE\]\nNothing of the file was stored or sent: run the same file again then\.\n$/,
    );
    service.close();
    service.closeAllConnections();
    // Another ledger, which knows of no throttling.
    const unreached = await runIn(folderOf(t));
    assert.equal(unreached.code, 5, unreached.stderr);
    assert.match(
      unreached.stderr,
      /could not be looked up: the service cannot be reached, or does not answer \[.*run the same file again once the service answers\.\n$/s,
    );
    const { stdout } = await runHere(['status', '--json'], { cwd });
    assert.deepEqual(JSON.parse(stdout).batches, []);
  });

  test('rejects a file that is not a payout file, in one sentence, with exit code 3', async (t) => {
    const cwd = folderOf(t);
    const cases = [
      [write(cwd, 'empty.csv'), /empty/],
      [write(cwd, 'columns.csv', 'name,city', 'Amina,Nairobi'), /column/],
      [join(cwd, 'nowhere.csv'), /nowhere\.csv/],
      [write(cwd, 'cut.csv', header, '+254712345678,1,50,KES,,a,"never closed'), /quote/i],
    ] as const;
    for (const [file, message] of cases) {
      const run = await runHere(['run', file, '--yes'], { cwd });
      assert.equal(run.code, 3, `${file}: ${run.stderr}`);
      assert.match(run.stderr, message);
    }
  });

  test('names the wrong field of a configuration, with exit code 2', async (t) => {
    const cwd = folderOf(t);
    write(
      cwd,
      'airbatch.config.json',
      JSON.stringify({ accounts: { main: { baseUrl: 'https://example.com', apiKeyEnv: 'NO_SUCH_KEY', limit: 3 } } }),
    );
    const run = await runHere(['run', sample, '--yes'], { cwd });
    assert.equal(run.code, 2);
    assert.match(run.stderr, /accounts\.main.*limit/s);
  });

  test('never writes the API key or a phone number to its log', async (t) => {
    const cwd = folderOf(t);
    const env = { AIRBATCH_BASE_URL: 'http://127.0.0.1:1', AIRBATCH_API_KEY: 'canary-0f9e8d7c' };
    const file = write(cwd, 'one.csv', header, '+254712345678,1,50,KES,,a,');
    await makeLedgerIn(cwd);
    const run = startCommand(['run', file, '--yes'], { cwd, env });
    await run.seen(/cannot be reached|could not be read/);
    run.child.kill('SIGINT');
    const { stdout, stderr, code } = await run.ended;
    assert.equal(code, 130, stderr);
    assert.doesNotMatch(stdout + stderr, /canary-0f9e8d7c|254712345678/);
  });
});

describe('airbatch', () => {
  test('shows help with an example for every command', async (t) => {
    const cwd = folderOf(t);
    const help = await runHere(['--help'], { cwd });
    assert.equal(help.code, 0);
    const commands = [...help.stdout.matchAll(/^ {2}([a-z][a-z-]*)(?: \[options\])?/gm)]
      .map(([, name = '']) => name)
      .filter((name) => name !== 'help');
    assert.ok(commands.includes('run') && commands.includes('sandbox'), help.stdout);
    for (const command of commands) {
      const { stdout, code } = await runHere([command, '--help'], { cwd });
      assert.equal(code, 0);
      assert.match(stdout, /Example:\n {2}\$ airbatch /, command);
    }
  });

  test('answers an unknown command, option or batch with exit code 2 and a hint', async (t) => {
    const cwd = folderOf(t);
    for (const args of [['pay'], ['run', '--fast', 'x.csv'], ['status', 'no-such-batch'], ['run']]) {
      const result = await runHere(args, { cwd });
      assert.equal(result.code, 2, args.join(' '));
      assert.match(result.stderr, /airbatch/);
    }
    const blanks = await runHere(['run', 'my', 'file.csv'], { cwd });
    assert.match(blanks.stderr, /too many arguments[\s\S]*quotation marks: airbatch run "my file\.csv"\n$/);
  });
});
