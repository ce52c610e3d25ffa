import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { texts } from '../../src/console/texts/en-pages.ts';
import { texts as french } from '../../src/console/texts/fr-pages.ts';
import { detailId } from '../../src/console/texts/problem-text.ts';
import { AirbatchError } from '../../src/core/basics/errors.ts';
import { refusalReasons } from '../../src/core/basics/refusal.ts';
import { fileNotes, fileReasons } from '../../src/core/basics/rejected-file.ts';
import { slotReasons } from '../../src/core/basics/slot-result.ts';
import { doubtReasons } from '../../src/core/state/doubt-texts.ts';
import { eventWhys } from '../../src/core/state/event-whys.ts';
import { pauseWhys } from '../../src/core/state/pause-texts.ts';
import { approvalReasons, secondPersonReasons } from '../../src/engine/plan/approval.ts';
import type { Problem } from '../../src/intake/cells/problems.ts';
import type { BoundPayment } from '../../src/ledger/reporting/reconciliations.ts';
import { buckets } from '../../src/reports/reconcile/reconcile-buckets.ts';
import { nextOf, nextSteps } from '../../src/reports/reconcile/reconcile-next.ts';
import { problemCodes } from '../../src/server/base/problem.ts';
import { check, csv, goodRow, testCatalog } from '../intake/support.ts';

/** What a text names that its problem does not give. */
function missing({ code, values = {} }: Problem): string[] {
  const text = (texts as Record<string, string>)[detailId(code)] ?? '';
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

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('console'))
  .sort()
  .map((path) => ({ path, text: readFileSync(join(root, 'src', path), 'utf8') }));

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
    const { loadPageTexts, showLanguage } = await import('../../src/console/texts/i18n.ts');
    const { problemMore, rowReason } = await import('../../src/console/texts/problem-text.ts');
    Object.assign(globalThis, { document: { documentElement: {} } });
    await showLanguage('fr');
    await loadPageTexts();
    const title = french['problem.PHONE_MISSING'];
    assert.equal(
      rowReason({ code: 'PHONE_MISSING; TOTAL_LINE', reason: 'x', waiting_reason: null }),
      `${title}. ${french['problem.TOTAL_LINE']}`,
    );
    assert.equal(
      rowReason({ code: 'INVALID_PHONE', reason: 'no such subscriber', waiting_reason: null }),
      'no such subscriber',
    );
    const skipped = { code: 'SKIPPED_BY_PERSON', message: 'Skipped by ann: left us', values: {} };
    assert.equal(rowReason({ code: skipped.code, reason: skipped.message, waiting_reason: null }), skipped.message);
    assert.equal(problemMore(skipped), skipped.message);
    assert.equal(rowReason({ code: null, reason: null, waiting_reason: null }), '');
    const waiting = { code: 'timeout', reason: 'It is not known', waiting_reason: { code: 'DOUBT_OPEN', values: {} } };
    assert.equal(rowReason(waiting), french['reason.DOUBT_OPEN']);
    const earlier = { batch: 'B-1', row: '3' };
    const paid = (values: Record<string, string>) => problemMore({ code: 'ALREADY_PAID', message: 'x', values });
    assert.equal(paid({ ...earlier, earlier_line: '4' }), 'Dans le lot B-1, ligne 4 de son fichier.');
    assert.equal(paid(earlier), 'Dans le lot B-1, ligne 3.', 'as an earlier version noted it');
    const older = { code: 'PHONE_AMBIGUOUS', message: 'It can be two.', values: null };
    assert.equal(problemMore(older), older.message);
  });
});

describe('the text of a reason', () => {
  test('is there for every code', () => {
    const of = Object.keys(texts).filter((id) => id.startsWith('reason.'));
    const codes: string[] = [...fileReasons, ...fileNotes, ...secondPersonReasons, ...nextSteps];
    codes.push(...Object.keys(slotReasons), ...Object.keys(refusalReasons), ...Object.keys(doubtReasons));
    codes.push(...Object.keys(approvalReasons), ...Object.keys(pauseWhys), ...Object.keys(eventWhys));
    assert.deepEqual(of.sort(), codes.map((code) => `reason.${code}`).sort());
  });

  test('names what the code of a slot or of a refusal gives, and nothing else', () => {
    const givenByEvents = Object.fromEntries(
      Object.entries(eventWhys).map(([code, said]) => [code, [...said.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)]),
    );
    for (const [code, given] of Object.entries({
      ...slotReasons,
      ...refusalReasons,
      ...doubtReasons,
      ...approvalReasons,
      ...pauseWhys,
      ...givenByEvents,
    }))
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

/** A text by id in French, with the texts that only some pages have. */
async function inFrench() {
  Object.assign(globalThis, { localStorage: { getItem: () => 'fr' }, document: { documentElement: {} } });
  const { loadPageTexts, showLanguage } = await import('../../src/console/texts/i18n.ts');
  await showLanguage('fr');
  await loadPageTexts();
  return import('../../src/console/texts/reason-text.ts');
}

describe('the text of a refused request', () => {
  test('is there for every code of the API, and is never the sentence of the server', async () => {
    const { failureTexts } = await import('../../src/console/texts/failure-text.ts');
    assert.deepEqual(Object.keys(failureTexts).sort(), [...new Set(problemCodes)].sort());
    const { refusalText } = await inFrench();
    const texts = problemCodes.map((code) => refusalText({ status: 503, code, detail: 'the server says' }));
    for (const text of texts) assert.match(text, /^[A-ZÀ-Ü].*[^ .]\.$/);
    assert.deepEqual(
      texts.filter((text) => /the server says|failure\./.test(text)),
      [],
    );
    assert.doesNotMatch(refusalText({ status: 409, code: 'A_LATER_CODE', detail: 'the server says' }), /says/);
  });

  test('says why, if the server does, with the states as the pages name them', async () => {
    const { refusalText } = await inFrench();
    const reason = { code: 'ROW_IS', values: { row: '3', row_status: 'held', wanted_status: 'in_doubt' } };
    const text = refusalText({ status: 409, code: 'BATCH_STATE', detail: 'row 3 is held', reason });
    assert.equal(text, 'L’état de la ligne 3 est «\u{a0}retenue\u{a0}», et non «\u{a0}en doute\u{a0}».');
    const input = { code: 'INPUT_REFUSED', values: { fields: 'email' } };
    assert.match(
      refusalText({ status: 400, code: 'USAGE', detail: 'email: Invalid', reason: input }),
      /Vérifiez\u{a0}: Adresse e-mail\.$/u,
    );
  });

  test('names an error of the operating system by its code', async () => {
    const { refusalText, slotText } = await inFrench();
    const folder = { status: 503, code: 'FOLDER_UNWRITABLE', detail: "/out: EACCES: permission denied, open '/out'" };
    assert.match(refusalText(folder), /signale\u{a0}: l’accès n’est pas autorisé \(EACCES\)\.$/u);
    const reasons = [{ code: 'SLOT_NOT_ARCHIVED', values: { file: 'a.csv', error: 'ENOSPC: no space left' } }];
    assert.equal(
      slotText({ detail: 'x', reasons }),
      'a.csv n’a pas pu être déplacé\u{a0}: le disque est plein (ENOSPC).',
    );
    const trouble = [{ code: 'SLOT_TROUBLE', values: { code: 'LEDGER_DAMAGED', error: 'the ledger is damaged' } }];
    assert.match(slotText({ detail: 'x', reasons: trouble }), /^Le registre est inutilisable/);
  });

  test('has a reason wherever the state of a batch or a row forbids something', () => {
    const bare = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/new AirbatchError\(\s*'BATCH_STATE'/g)]
        .map(({ index }) => text.slice(index, text.indexOf(';\n', index)))
        .filter((call) => !call.includes('reason:'))
        .map(() => path),
    );
    // Only the command line has `--unlisted`, and no page forgets a batch.
    assert.deepEqual(bare, ['engine/batches/forget.ts', 'engine/doubts/lost-payments.ts']);
  });
});
