import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { texts } from '../../src/console/texts/en-mending.ts';
import { texts as french } from '../../src/console/texts/fr-mending.ts';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { fileNotes, fileReasons } from '../../src/core/basics/rejected-file.ts';
import { slotReasons } from '../../src/core/basics/slot-result.ts';
import { secondPersonReasons } from '../../src/engine/plan/approval.ts';
import type { Problem } from '../../src/intake/cells/problems.ts';
import type { BoundPayment } from '../../src/ledger/reporting/reconciliations.ts';
import { buckets } from '../../src/reports/reconcile/reconcile-buckets.ts';
import { nextOf, nextSteps } from '../../src/reports/reconcile/reconcile-next.ts';
import { check, csv, goodRow, testCatalog } from '../intake/support.ts';

/** What a text names that its problem does not give. */
function missing({ code, values = {} }: Problem): string[] {
  const text = (texts as Record<string, string>)[`problem.${code}.more`] ?? '';
  const wanted = [...text.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name = '']) => name);
  const { why } = values;
  // Of a text with cases, only those of its own case are shown.
  const own = why === undefined ? wanted : wanted.filter((name) => namesOf(text, why).has(name));
  return own.filter((name) => !(name in values));
}

function namesOf(text: string, why: string): Set<string> {
  const asked = new Set<string>();
  const i18n = setupI18n({ locale: 'en', messages: { en: { text: compileMessage(text) } } });
  const values = new Proxy({ why } as Record<string, string>, {
    get: (target, name) => {
      asked.add(String(name));
      return target[String(name)] ?? 'x';
    },
  });
  i18n._('text', values);
  return asked;
}

const root = resolve(import.meta.dirname, '../..');
const examples = readFileSync(join(root, 'docs/problems.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map(([, code = '', , , example = '']) => ({ code: code.replaceAll('`', ''), example }));

describe('the text of a problem', () => {
  test('names nothing that intake does not give with the problem', async () => {
    const found = new Map<string, string[]>();
    const look = async (content: string, settings: Record<string, unknown> = {}) => {
      const { rows } = await check(content, { catalog: testCatalog, settings });
      for (const problem of rows.flatMap((row) => row.problems)) found.set(problem.code, missing(problem));
    };
    for (const { example } of examples) {
      const [, isLine, text = ''] = /^(line: )?`([^`]*)`$/.exec(example) ?? [];
      if (text === '') continue;
      const pairs = text.split(/; ?/).map((pair) => pair.split(/=(.*)/s).slice(0, 2));
      await look(
        isLine === undefined
          ? csv([goodRow(Object.fromEntries(pairs))])
          : `phone_number,network_id,amount,currency\n${text}\n`,
      );
    }
    await look(csv([goodRow(), goodRow()]));
    await look(csv([goodRow({ reference: 'A' }), goodRow({ reference: 'A', amount: '7' })]));
    const guards = { amountMin: { KES: '500' }, numberMax: { KES: '1' }, countries: ['UG'] };
    await look(csv([goodRow({ amount: '5', currency: 'KES' })]), { guards });
    await look(csv([goodRow({ amount: '5', currency: 'KES' })]), { guards: { amountMax: { KES: '1' } } });
    assert.ok(found.size > 30, `only ${[...found.keys()].join()}`);
    assert.deepEqual(
      [...found].filter(([, names]) => names.length > 0),
      [],
    );
  });

  test('tells the cases of a code apart, in the language of the reader', () => {
    const messages = { fr: { more: compileMessage(french['problem.PHONE_INVALID.more']) } };
    const i18n = setupI18n({ locale: 'fr', messages });
    assert.match(i18n._('more', { why: 'short' }), /^Il est trop court/);
    assert.match(i18n._('more', { why: 'unknown' }), /^Ses premiers chiffres/);
  });
});

function namedIn(code: string): string[] {
  const text = (texts as Record<string, string>)[`reason.${code}`] ?? '';
  return [...text.matchAll(/\{(\w+)(?=[,}])/g)].map(([, name = '']) => name);
}

describe('why a row is not paid', () => {
  test('is told in the reader’s language where airbatch has found it, and in their own words where others have', async () => {
    Object.assign(globalThis, { localStorage: { getItem: () => 'fr' } });
    const { loadMendingTexts, showLanguage } = await import('../../src/console/texts/i18n.ts');
    const { problemMore, rowReason } = await import('../../src/console/texts/problem-text.ts');
    Object.assign(globalThis, { document: { documentElement: {} } });
    await showLanguage('fr');
    await loadMendingTexts();
    const title = french['problem.PHONE_MISSING'];
    assert.equal(
      rowReason({ code: 'PHONE_MISSING; TOTAL_LINE', reason: 'x' }),
      `${title}. ${french['problem.TOTAL_LINE']}`,
    );
    assert.equal(rowReason({ code: 'INVALID_PHONE', reason: 'no such subscriber' }), 'no such subscriber');
    const skipped = { code: 'SKIPPED_BY_PERSON', message: 'Skipped by ann: left us', values: {} };
    assert.equal(rowReason({ code: skipped.code, reason: skipped.message }), skipped.message);
    assert.equal(problemMore(skipped), skipped.message);
    assert.equal(rowReason({ code: null, reason: null }), '');
    const older = { code: 'PHONE_AMBIGUOUS', message: 'It can be two.', values: null };
    assert.equal(problemMore(older), older.message);
  });
});

describe('the text of a reason', () => {
  test('is there for every code', () => {
    const of = Object.keys(texts).filter((id) => id.startsWith('reason.'));
    const codes = [...fileReasons, ...fileNotes, ...secondPersonReasons, ...nextSteps, ...Object.keys(slotReasons)];
    assert.deepEqual(of.sort(), codes.map((code) => `reason.${code}`).sort());
  });

  test('names what the code of a slot gives, and nothing else', () => {
    for (const [code, given] of Object.entries(slotReasons))
      assert.deepEqual([...new Set(namedIn(code))].sort(), [...given].sort(), code);
  });

  test('names nothing that the step of an open line does not give', () => {
    const bound = { batch_id: 'B-1', row_no: 3, generation: 1, row_generation: 1, next_action_at: 1 };
    const fields = ['in_doubt', 'completed', 'failed'].flatMap((status) => [
      { ...bound, status },
      { ...bound, status, next_action_at: null },
      { ...bound, status, row_generation: 2 },
    ]);
    const found = new Map<string, string[]>();
    for (const bucket of buckets)
      for (const one of [null, ...fields]) {
        const { code = '', values = {} } = nextOf(bucket, one as BoundPayment | null).next_reason ?? {};
        if (code !== '')
          found.set(
            code,
            namedIn(code).filter((name) => !(name in values)),
          );
      }
    assert.deepEqual([...found.keys()].sort(), [...nextSteps].sort());
    assert.deepEqual([...found.values()].flat(), []);
  });

  test('names nothing that intake does not give with the reason', async () => {
    const header = 'phone_number,network_id,amount,currency';
    const rows = `${header}\n+254712345601,1,100,KES\n`;
    const files: [code: string, content: string | Buffer, settings?: Record<string, unknown>][] = [
      ['EMPTY', ''],
      ['NO_ROWS', `${header}\n`],
      ['NOT_A_TABLE', '%PDF-1.7'],
      ['ENCODING', Buffer.concat([Buffer.from(`${rows}é`), Buffer.from([0xe9, 10])])],
      ['TOO_MANY_ROWS', `${rows}+254712345602,1,100,KES\n`, { guards: { rowsMax: 1 } }],
      ['QUOTE_OPEN', `${header}\n"+254712345601,1,100,KES\n`],
      ['ONE_COLUMN', `"${header}"\n"+254712345601,1,100,KES"\n`],
      ['HEADER_LINE', rows, { headerLine: 9 }],
      ['COLUMN_MISSING', 'who,mobile A,Net pay\nAmina,+254712345601,100\n'],
      ['COLUMN_UNCLEAR', 'phone_number,network_id,amount,total amount\n+254712345601,1,100,200\n'],
      ['COLUMN_TWICE', 'phone_number,network_id,amount,amount\n+254712345601,1,100,200\n'],
      ['COLUMN_UNKNOWN', rows, { columns: { amount: 'pay' } }],
      ['SUM_TOO_LARGE', rows, { guards: { batchMax: { KES: '1' } } }],
      ['ROWS_EXPECTED', rows, { guards: { expectedRows: 2 } }],
      ['SUM_EXPECTED', rows, { guards: { expectedSums: { KES: '2' } } }],
      ['END_MISSING', rows, { guards: { trailer: 'END' } }],
      ['END_ROWS', `${rows}END,7\n`, { guards: { trailer: 'END' } }],
      ['END_SUM', `${rows}END,1,7\n`, { guards: { trailer: 'END' } }],
      ['TOTAL_WRONG', `${rows}Total,,7,KES\n`, { totalLine: 'skip' }],
    ];
    const found = [];
    for (const [, content, settings = {}] of files) {
      const error = await check(content, { catalog: testCatalog, settings }).catch((thrown: unknown) => thrown);
      const { code = '', values = {} } = (error instanceof AirbatchError ? error.reason : null) ?? {};
      const names = namedIn(code).filter((name) => !(name in values));
      found.push([code, code === 'NOT_A_TABLE' ? [] : names]);
    }
    assert.deepEqual(
      found,
      files.map(([code]) => [code, []]),
    );
  });
});
