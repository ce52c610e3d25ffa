import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { runCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';

/** Node's options for it to say on stderr with which options and limits of the C library it runs, at each start. */
function telling(folder: string): string {
  writeFileSync(
    join(folder, 'tell.mjs'),
    'const { MALLOC_ARENA_MAX: arenas, MALLOC_TRIM_THRESHOLD_: trimmed, MALLOC_MMAP_THRESHOLD_: mapped } = process.env;\n' +
      'console.error("started with", ...process.execArgv, arenas, trimmed, mapped);',
  );
  return '--import ./tell.mjs';
}

const littleRoom = /started with --max-semi-space-size=\d+ --max-old-space-size=\d+ .*\b1 131072 131072$/gm;

const starts = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].length;

describe('the launcher', { skip: process.platform === 'win32' && 'Windows has no way to start in place' }, () => {
  test('restarts commands for whole files with a smaller heap for garbage, and passes everything on', async (t) => {
    const folder = folderOf(t);
    const { code, stdout, stderr } = await runCommand(
      ['--json', 'report', 'no such batch', '--ledger', 'no such ledger.db'],
      {
        cwd: folder,
        env: { NODE_OPTIONS: telling(folder) },
        restarts: true,
      },
    );
    assert.equal(starts(stderr, /started with/g), 2);
    assert.equal(starts(stderr, littleRoom), 1);
    assert.notEqual(code, 0);
    assert.equal(JSON.parse(stdout).error.message.includes('no such ledger.db'), true);
  });

  test('leaves small commands, and a size that somebody chose, unchanged', async (t) => {
    const folder = folderOf(t);
    const help = await runCommand(['--help'], {
      cwd: folder,
      env: { NODE_OPTIONS: telling(folder) },
      restarts: true,
    });
    assert.equal(starts(help.stderr, /started with/g), 1);
    assert.equal(help.code, 0);
    const chosen = await runCommand(['report', 'no such batch'], {
      cwd: folder,
      env: { NODE_OPTIONS: `${telling(folder)} --max-semi-space-size=64` },
      restarts: true,
    });
    assert.equal(starts(chosen.stderr, /started with/g), 1);
  });
});
