import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';

const file = 'phone_number,network_id,amount,currency\n+254712345678,1,10,KES\n';

/** Each command that only reads, and how it ends in a folder that has no ledger. */
const commands: readonly (readonly [args: readonly string[], code: number])[] = [
  [['networks', 'KE'], 0],
  [['products', '--network', '1'], 0],
  [['balance'], 0],
  [['jobs', 'list'], 0],
  [['jobs', 'check'], 0],
  [['validate', 'payroll.csv'], 0],
  [['key'], 2],
  [['status'], 2],
  [['audit'], 2],
  [['report', 'B-1'], 2],
  [['reconcile'], 2],
  [['resume'], 2],
];

describe('a command that only reads', () => {
  for (const [args, code] of commands)
    test(`creates nothing in a folder without a ledger: ${args.join(' ')}`, async (t) => {
      const cwd = folderOf(t);
      writeFileSync(join(cwd, 'payroll.csv'), file);
      const ended = await runHere(args, { cwd });
      assert.deepEqual([ended.code, readdirSync(cwd)], [code, ['payroll.csv']], ended.stderr);
    });
});
