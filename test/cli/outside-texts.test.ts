import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { spreadsheetSafe } from '../../src/core/money/spreadsheet-safe.ts';
import { visible } from '../../src/core/text/visible.ts';
import { chatText, mailText, webhookText } from '../../src/notify/outside-text.ts';
import { html, htmlPage } from '../../src/reports/render/html.ts';
import { csvText } from '../../src/reports/text/csv.ts';
import { makeLog } from '../../src/runtime/logging/log.ts';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { hostileTexts, secret } from '../support/hostile-texts.ts';

function lacks(text: string, pieces: readonly string[] | undefined): void {
  for (const piece of pieces ?? [])
    assert.ok(!text.includes(piece), `${JSON.stringify(piece)} is in ${JSON.stringify(text)}`);
}

function logged(text: string): string[] {
  const lines: string[] = [];
  const log = makeLog({ level: 'warn', secrets: [secret], screen: (line) => void lines.push(line.trimEnd()) });
  log.warn('a file of a job has changed since it was read', { file: text });
  return lines;
}

describe('a text from outside', () => {
  for (const { what, text, raw, personal, link, call } of hostileTexts) {
    test(`reaches nobody raw if it has ${what}`, () => {
      const [mail, chat, webhook] = [mailText([secret]), chatText([secret]), webhookText([secret])].map((say) =>
        say(text),
      );
      const page = htmlPage('x', '', html`<p title="${text}">${text}</p>`);
      const shown = visible(text);
      const lines = logged(text).join('');
      for (const channel of [shown, mail, chat, webhook, lines] as string[]) lacks(channel, raw);
      // In a page, a line break is a space.
      const obeyed = raw?.filter((piece) => !/^[\n\r]/.test(piece));
      lacks(page, obeyed);
      for (const channel of [mail, chat, webhook, lines] as string[]) lacks(channel, personal);
      for (const channel of [mail, chat] as string[]) lacks(channel, link);
      lacks(chat as string, call);
      for (const channel of [shown, mail, chat, webhook] as string[]) assert.doesNotMatch(channel, /[\n\r]/);
      lacks(page, ['<script', '<img', 'title=""']);
    });
  }

  test('is a cell of a CSV file that reads back the same, except for an apostrophe before a formula', () => {
    const [line] = parse(csvText([hostileTexts.map(({ text }) => text)])) as string[][];
    const cells = hostileTexts.map(({ text }) => Buffer.from(spreadsheetSafe(text)).toString());
    for (const [at, cell] of (line ?? []).entries()) {
      assert.equal(cell.replaceAll("'", ''), cells[at]?.replaceAll("'", ''));
      assert.doesNotMatch(cell, /^[=+\-@\t\r\n]/);
    }
  });

  test('stays readable: names in any script, amounts, counts, files and joined emoji', () => {
    const plain = [
      'Payé à Zoë.csv',
      'محمد',
      '👩‍👩‍👧',
      'می‌خواهم',
      'KES 1,234.50',
      'failed.csv of 254712 rows',
      'run payroll-2026-11',
    ];
    for (const text of plain)
      for (const say of [visible, mailText([]), chatText([]), webhookText([])]) assert.equal(say(text), text);
  });
});

/** No line that a command writes begins with this: it stands behind a line break in names and arguments. */
const forged = '\u001b[31m\nFORGED';

function isClean({ stdout, stderr }: { stdout: string; stderr: string }): void {
  for (const text of [stdout, stderr]) {
    lacks(text, ['\u001b', '\u009b', '\u202e', '\r']);
    assert.doesNotMatch(text, /^\s*FORGED/m);
  }
}

describe('a command', () => {
  test('shows names of files, cells and arguments on one line each, without control characters', async (t) => {
    const cwd = folderOf(t);
    const name = `pay${forged}\u202e.csv`;
    const rows = [
      `phone_number,network_id,amount,currency,reference,note${'\u001b[2J'}`,
      `+254712405118,1,100,KES,r1,"x${forged}"`,
      `+254712405117,"Saf${forged}",100,"K${forged}","r\u202e3",a`,
      `+254712405116,1,"10${forged}",KES,r4,a`,
    ];
    writeFileSync(join(cwd, name), `${rows.join('\n')}\n`);
    isClean(await runHere(['validate', name], { cwd }));
    isClean(await runHere(['run', name, '--yes'], { cwd }));
    const [batch = ''] = readdirSync(join(cwd, 'reports'));
    lacks(readFileSync(join(cwd, 'reports', batch, 'report.html'), 'utf8'), ['\u001b', '\u202e']);
    mkdirSync(join(cwd, 'jobs'));
    writeFileSync(join(cwd, 'jobs', `evil${forged}.json`), JSON.stringify({ name: `x${forged}` }));
    const folder = join('reports', `x${forged}`);
    const commands = [
      ['status', batch],
      ['audit', '--batch', batch],
      ['verify', join('reports', batch)],
      ['retry', batch, '--code', forged],
      ['run', `none${forged}.csv`],
      ['approve', forged],
      ['jobs', 'check'],
      ['jobs', 'run', forged],
      ['networks', forged],
      ['status', `--ledger=${forged}`],
      ['status', `--config=${forged}`],
      ['status', `--no${forged}`],
      [`no${forged}`],
      ['verify', folder],
    ];
    for (const command of commands) {
      if (command[1] === folder) {
        renameSync(join(cwd, 'reports', batch), join(cwd, folder));
        writeFileSync(join(cwd, folder, `more${forged}.csv`), '');
      }
      isClean(await runHere(command, { cwd }));
    }
  });

  test('shows the error output of a job’s program without numbers, secrets and colours', async (t) => {
    const cwd = folderOf(t);
    const complaint = [
      'read 100 of 254712 rows',
      '\u001b[31mno plan for +254 712 405 118\u001b[0m',
      `refused: ${secret}`,
      'connect to postgres://pay:hunter2@db/pay with password=hunter3 failed',
    ];
    writeFileSync(join(cwd, 'complain.txt'), complaint.join('\n'));
    mkdirSync(join(cwd, 'jobs'));
    const job = {
      name: 'payroll',
      schedule: { cron: '0 9 25 * *', timeZone: 'Africa/Nairobi' },
      source: { kind: 'command', command: ['bash', '-c', 'cat complain.txt >&2; exit 3'] },
    };
    writeFileSync(join(cwd, 'jobs/payroll.json'), JSON.stringify(job));
    const env = { PAYROLL_TOKEN: secret };
    const run = await runHere(['jobs', 'run', 'payroll'], { cwd, env });
    isClean(run);
    assert.match(run.stderr, /exit code 3: read 100 of 254712 rows no plan for \[number\] refused: \[secret\]/);
    for (const json of [[], ['--json']]) {
      const shown = await runHere(['jobs', ...json], { cwd, env });
      lacks(run.stderr + shown.stdout + shown.stderr, ['405', secret, 'hunter2', 'hunter3']);
    }
    lacks(readFileSync(join(cwd, '.airbatch/ledger.db'), 'latin1'), ['712 405 118', secret, 'hunter2', 'hunter3']);
  });
});
