import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { graceSecondsDefault } from '../../../src/cli/serving/serve.ts';
import { type ErrorCode, errorTable } from '../../../src/core/basics/errors.ts';
import { worstExitCode } from '../../../src/operations/base/exit-codes.ts';

test('of several batches, the exit code is that of the one that most needs attention', () => {
  for (const [codes, worst] of [
    [[], 0],
    [[0, 4, 0], 4],
    [[4, 5, 0], 5],
    [[5, 3, 4], 5],
    [[5, 6, 4], 6],
    [[1, 5], 1],
    [[130, 1, 5], 130],
  ] as const)
    assert.equal(worstExitCode(codes), worst, codes.join());
});

describe('the systemd unit', () => {
  const read = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');
  const unit = read('deploy/systemd/airbatch.service');
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1] ?? '';
  const prevented = setting('RestartPreventExitStatus').split(' ').map(Number);
  const restarts = (code: ErrorCode) => !prevented.includes(errorTable[code].exitCode);

  for (const code of [
    'USAGE',
    'CONFIG_INVALID',
    'ROLE_MISSING',
    'CREDENTIALS_REJECTED',
    'LEDGER_DAMAGED',
    'LEDGER_MOVED',
    'LEDGER_REPLACED',
    'LEDGER_RESTORED',
    'LEDGER_VERSION',
  ] as const)
    test(`does not start serve again after ${code}, which only a person can correct`, () => {
      assert.equal(restarts(code), false);
    });

  for (const code of [
    'ACCOUNT_BUSY',
    'FENCED',
    'FOLDER_UNWRITABLE',
    'LEDGER_BUSY',
    'LEDGER_FULL',
    'LEDGER_IO',
    'LEDGER_SYNC',
    'SERVICE_UNREACHABLE',
  ] as const)
    test(`starts serve again after ${code}, which may pass`, () => {
      assert.equal(restarts(code), true);
    });

  test('agrees with the table in docs/jobs.md, code by code', () => {
    const [, table = ''] = read('docs/jobs.md').split('`serve` ends with these exit codes:');
    const rows = [...table.matchAll(/^\| (\d+) \|.*\| (.*)\|$/gm)].map(([, code, again = '']) => [Number(code), again]);
    assert.deepEqual(
      rows.map(([code]) => code),
      [0, 1, 2, 5, 6],
    );
    for (const [code, again] of rows)
      assert.equal(
        String(again).startsWith('yes'),
        code !== 0 && !prevented.includes(Number(code)),
        `exit code ${code}`,
      );
    assert.equal(setting('Restart'), 'on-failure', 'an end that was asked for (0) is no failure');
  });

  test('gives serve longer to stop than --grace', () => {
    assert.ok(Number(setting('TimeoutStopSec')) > graceSecondsDefault);
  });
});
