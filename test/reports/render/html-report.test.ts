import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Database } from '../../../src/ledger/drivers/database.ts';
import { writeReports } from '../../../src/reports/reports.ts';
import { localTimeText } from '../../../src/reports/sentences/format.ts';
import { folderOf } from '../../support/folder.ts';
import {
  balanceJson,
  completedWay,
  failedWay,
  invalidRow,
  newBatch,
  newRow,
  refundRows,
  startMs,
  testLedger,
  writeBatch,
  writeSampleBatch,
} from '../fixture.ts';

async function page(
  t: TestContext,
  options: object = {},
  write = writeSampleBatch,
): Promise<{ text: string; path: string }> {
  const db = await testLedger(t);
  await write(db);
  const { dir } = await writeReports(db, 'B-1', folderOf(t), options);
  const path = join(dir, 'report.html');
  return { text: await readFile(path, 'utf8'), path };
}

test('times also show the local time of the file, if the ledger knows its zone', async (t) => {
  const inZone = (time_zone: string | null) =>
    page(t, {}, (db: Database) => writeSampleBatch(db, 'B-1', { time_zone }));
  const local = '2026-11-01 08:00:00 UTC (11:00:00 in Africa/Nairobi)';
  const { text } = await inZone('Africa/Nairobi');
  assert.ok(text.includes(`>${local}<`));
  assert.match(text, /Read 2026-11-01 07:59:59 UTC \(10:59:59 in Africa\/Nairobi\) and /);
  assert.match(text, /as of 2026-11-01 08:01:00 UTC \(11:01:00 in Africa\/Nairobi\)<\/p>/);
  for (const zone of [null, 'UTC', 'No/Such']) {
    const alone = (await inZone(zone)).text;
    assert.match(alone, />2026-11-01 08:00:00 UTC</);
    assert.match(alone, /as of 2026-11-01 08:01:00 UTC<\/p>/);
  }
});

test('a local time on another day shows its day', () => {
  const late = '2026-11-01T22:30:00.000Z';
  assert.equal(
    localTimeText(late, 'Africa/Nairobi'),
    '2026-11-01 22:30:00 UTC (2026-11-02 01:30:00 in Africa/Nairobi)',
  );
});

for (const [what, fields, words] of [
  [
    'in time',
    { finish_by: startMs + 31 * 60_000 },
    /It was finished in time: at 2026-11-01 08:01 UTC, 30 min early \(due 2026-11-01 08:31 UTC\)\./,
  ],
  [
    'late',
    { finish_by: startMs - 119 * 60_000 },
    /It was finished late: at 2026-11-01 08:01 UTC, 2 h late \(due 2026-11-01 06:01 UTC\)\./,
  ],
] as const)
  test(`the page says in a sentence that a batch was done ${what}, and its deadline`, async (t) => {
    const { text } = await page(t, {}, (db) => writeSampleBatch(db, 'B-1', fields));
    assert.match(text, words);
    assert.match(text, /Deadline<\/dt><dd>2026-11-01/);
    const { text: without } = await page(t);
    assert.doesNotMatch(without, /to be done|was to be/i);
  });

test('the page shows the result of the batch, who submitted and who approved it', async (t) => {
  const { text } = await page(t);
  assert.match(text, /7 of 10 rows were paid: <span class="w">KES 703\.50<\/span>; 1 was skipped\./);
  assert.match(text, /1 row failed: nothing was paid for it\./);
  assert.match(text, /Submitted by<\/dt><dd>amina/);
  assert.match(text, /Approved by<\/dt><dd>brian/);
});

test('the page shows the balance before and after, and what explains the difference', async (t) => {
  const { text } = await page(t);
  for (const amount of ['USD 100.00', 'USD 94.40', 'USD 5.60']) assert.ok(text.includes(amount), amount);
  assert.match(text, /Wallet balances match the charges exactly\./);
});

test('the page says in every layout that the requested sum is that of valid rows', async (t) => {
  const { text } = await page(t);
  assert.match(
    text,
    /<td class="n" data-name="Requested"><div>KES 804\.00<\/div><span class="soft small"> \(valid rows\)<\/span>/,
  );
});

test('a row that somebody should check is shown with its number and its line in the file', async (t) => {
  const { text } = await page(t);
  const section = /Rows to look at.*?<\/section>/s.exec(text)?.[0] ?? '';
  assert.match(section, /<th class="n">Row<\/th><th class="n">Line<\/th>/);
  const places = [...section.matchAll(/data-name="Row">(\d+)<\/td><td class="n" data-name="Line">(\d+)</g)];
  assert.deepEqual(
    places.map(([, row, line]) => Number(line) - Number(row)),
    [1, 1],
  );
});

test('the page lists refunded rows with the amount', async (t) => {
  const withRefunds = async (db: Database) => {
    await writeSampleBatch(db);
    await refundRows(db, [
      [3, '0.8'],
      [5, null],
    ]);
  };
  const { text } = await page(t, { mask: true }, withRefunds);
  const section = /Paid rows that were refunded later.*?<\/section>/s.exec(text)?.[0] ?? '';
  assert.deepEqual(
    [...section.matchAll(/<tr><td.*?<\/tr>/gs)].map(([line]) =>
      line
        .replace(/<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    ),
    [
      '3 4 P*** 2********003 KES 100.50 USD 0.80 2026-11-01 08:00:00 UTC',
      '5 6 P*** 2********005 KES 100.50 the service did not say how much 2026-11-01 08:00:00 UTC',
    ],
  );
  assert.match(text, /<b>USD 0\.80<\/b><span>refunded since<\/span>/);
  assert.doesNotMatch((await page(t)).text, /refunded later|refunded since/i);
});

test('of many wallets, those without changes are counted and not listed', async (t) => {
  const balance = (moved: string) =>
    balanceJson(
      Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`USD-${index}`, index === 4 ? moved : '100'])),
      startMs,
    );
  const withWallets = (after: string) => async (db: Database) => {
    await writeSampleBatch(db);
    await db.execute('UPDATE batches SET balance_before = ?, balance_after = ?', [balance('100'), balance(after)]);
  };
  const { text } = await page(t, {}, withWallets('94.4'));
  assert.match(text, /<td>USD-4 wallet<\/td>/);
  assert.doesNotMatch(text, /<td>USD-[^4] wallet<\/td>/);
  assert.match(text, /The other 8 wallets paid nothing: summary\.json has them\. Read /);
  const still = (await page(t, {}, withWallets('100'))).text;
  assert.match(still, /what explains the difference<\/h2>\s*<p class="soft small">The 9 wallets paid nothing: /);
  const open = async (db: Database) => {
    await writeSampleBatch(db);
    await db.execute('UPDATE batches SET balance_before = ?, balance_after = NULL', [balance('100')]);
  };
  const { text: once } = await page(t, {}, open);
  assert.match(
    once,
    /The 9 wallets were read before the first row, but not after the last one: summary\.json has them\. Read /,
  );
  assert.doesNotMatch(once, /USD-\d wallet/);
});

test('the page shows sums of wallets without a currency name', async (t) => {
  const nameless = (balance: string) =>
    balanceJson({ w1: balance, w2: '7' }, startMs).replaceAll(/"currency":"w\d"/g, '"currency":""');
  const { text } = await page(t, {}, async (db) => {
    await writeSampleBatch(db);
    await db.execute('UPDATE batches SET balance_before = ?, balance_after = ?', [nameless('100'), nameless('90')]);
  });
  assert.match(text, /The service does not name the currency of these wallets, so they are added up together\./);
  assert.match(text, /unexplained[\s\S]*Version 1 has no list that shows payments of other programs\./i);
  assert.doesNotMatch((await page(t)).text, /names no currency/);
});

test('the page of a cancelled batch says why, does not look like a success, and awaits nothing more', async (t) => {
  const fields = { status: 'cancelled', rejection: "October's file", approved_by: null, approved_at: null } as const;
  const { text } = await page(t, {}, async (db) => {
    await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way: [['cancel']] }]);
    await db.execute(
      `UPDATE batches SET status = ?, rejection = ?, approved_by = ?, approved_at = ?, started_at = NULL, completed_at = NULL`,
      Object.values(fields),
    );
  });
  assert.match(text, /<section class="verdict attention"><p>The row was not paid\.<\/p>/);
  assert.match(text, /A person rejected the batch, and nothing of it was sent: October&#39;s file\./);
  assert.match(text, /Approved by<\/dt><dd>nobody<br>/);
  assert.match(text, /Started<\/dt><dd>never<\/dd>\s*<dt>Finished<\/dt><dd>never</);
  assert.doesNotMatch(text, /nobody yet|not yet|not finished/);
  const { text: rejected } = await page(t, {}, async (db) => {
    await writeBatch(db, newBatch('B-1'), []);
    await db.execute(`UPDATE batches SET status = 'rejected', rejection = 'The file has no column network_id.'`);
  });
  assert.match(rejected, /<section class="verdict attention"><p>The file could not be read\. Nothing was sent\.<\/p>/);
});

test('sums in several currencies are below each other at the top, each complete', async (t) => {
  const { text } = await page(t, {}, async (db) => {
    await writeSampleBatch(db);
    await db.execute(`UPDATE rows SET cost_currency = 'NGN' WHERE row_no = 3`);
  });
  assert.match(text, /<div class="tile many"><b>NGN 0\.80<\/b><b>USD \d\.\d\d<\/b><span>charged to the wallets/);
  assert.match(text, /<div class="tile"><b>KES 703\.50<\/b><span>paid out/);
});

/** A row that failed, of which the service gave no code. */
async function withoutCode(db: Database): Promise<void> {
  await writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1), way: failedWay(1) }]);
  await db.execute('UPDATE rows SET failure_code = NULL');
}

test('a failure without a code of the service is shown by its reason, without an invented code', async (t) => {
  const { text } = await page(t, {}, withoutCode);
  assert.match(text, /<tr><td>The operator declined it<svg/);
  assert.doesNotMatch(text, /unknown/i);
});

test('the page says if it was only the sandbox', async (t) => {
  const { text } = await page(t, {}, (db) => writeSampleBatch(db, 'B-1', { service: 'embedded sandbox' }));
  assert.match(text, /no real money moved/);
});

test('the bar of states has a text for people who cannot see it', async (t) => {
  const { text } = await page(t);
  assert.match(text, /<svg class="bar" role="img" aria-label="7 completed, 1 failed, 1 invalid, 1 skipped">/);
});

test('the page explains what is wrong with rows, in the colour of their state, also for unknown codes', async (t) => {
  const problems = (...codes: string[]) => ({
    problems: JSON.stringify(codes.map((code) => ({ code, column: null, message: 'm', suggestion: 's' }))),
  });
  const { text } = await page(t, {}, async (db) => {
    await writeBatch(db, newBatch('B-1'), [
      { row: invalidRow('B-1', 1, problems('PHONE_NEEDS_COUNTRY')) },
      { row: invalidRow('B-1', 2, { ...problems('DUPLICATE'), status: 'held', row_ref: 'r-2' }) },
      { row: invalidRow('B-1', 3, problems('OF_ANOTHER_VERSION', 'constructor')) },
    ]);
  });
  for (const [words, state] of [
    ['The phone number has no country code, and its country is not known', 'invalid'],
    ['The same number gets the same payment twice', 'held'],
    ['Of another version', 'invalid'],
    ['Constructor', 'invalid'],
  ])
    assert.match(text, new RegExp(`<td>${words}<svg class="share" aria-hidden="true"><rect class="f-${state}"`));
});

test('the page has colours for a dark screen, and none on paper', async (t) => {
  const { text } = await page(t);
  const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? '';
  const names = (block = '') => [...block.matchAll(/--([a-z_-]+):/g)].map(([, name]) => name).sort();
  const light = /:root\{([^}]*)\}/.exec(style)?.[1];
  const dark = /@media screen and \(prefers-color-scheme:dark\)\{:root\{([^}]*)\}\}/.exec(style)?.[1];
  assert.ok(names(light).length > 10);
  assert.deepEqual(names(dark), names(light), 'a colour that is not given for the dark would be lost on it');
});

test('the page can load and run nothing: its policy names its one style by its digest', async (t) => {
  const { text } = await page(t);
  const style = /<style>(.*?)<\/style>/s.exec(text)?.[1] ?? '';
  const digest = createHash('sha256').update(style).digest('base64');
  assert.ok(
    text
      .replaceAll('&#39;', "'")
      .includes(`default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`),
  );
  assert.doesNotMatch(text, /<script|<link|<img|<iframe|\sstyle=|\son\w+=|https?:\/\/(?!service\.example)/i);
});

/** Texts with which pages were attacked. */
const attacks = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '<svg/onload=alert(1)>',
  'javascript:alert(1)',
  '<!--<script>',
  '&lt;script&gt;',
  '\u0001<b>\ud800',
];

test('text in a field of the file or an answer of the service stays text', async (t) => {
  for (const attack of attacks) {
    const problem = { code: attack, column: attack, message: attack, suggestion: attack };
    const { text } = await page(t, {}, async (db) => {
      const batch = newBatch('B-1', {
        run_id: attack,
        file_name: attack,
        account: attack,
        created_by: attack,
        service: attack,
        program: attack,
      });
      await writeBatch(db, batch, [
        {
          row: newRow('B-1', 1, { currency: attack, amount: null, product_id: attack }),
          way: failedWay(1, attack, attack),
        },
        { row: invalidRow('B-1', 2, { problems: JSON.stringify([problem]) }) },
      ]);
    });
    const body = text.slice(text.indexOf('</style>') + 8);
    const tags = new Set([...body.matchAll(/<([a-z!/][^\s>]*)/gi)].map(([, tag]) => tag));
    for (const tag of ['script', 'img', 'svg/onload=alert(1)', '!--', '/style', '/title'])
      assert.ok(!tags.has(tag), `${attack}: <${tag}`);
    assert.doesNotMatch(body, /<[^>]*\son\w+=/i, attack);
  }
});

/** A row that the service refuses and one that intake refuses, each with a message that quotes the row's number. */
async function writeQuotedNumbers(db: Database): Promise<void> {
  const problem = {
    code: 'PHONE_INVALID',
    column: 'phone_number',
    message: '"0712-000 009" is no number.',
    suggestion: '',
  };
  await writeBatch(db, newBatch('B-1'), [
    { row: newRow('B-1', 8), way: failedWay(8, 'PROVIDER_DECLINED', 'There is no +254 712 000 008') },
    { row: invalidRow('B-1', 9, { problems: JSON.stringify([problem]) }) },
  ]);
}

test('a masked page shows no phone number, neither in its column nor in a message', async (t) => {
  const readable = /712.?000.?\d\d\d/;
  const { text } = await page(t, { mask: true }, writeQuotedNumbers);
  assert.doesNotMatch(text, readable);
  assert.match(text, /\b2\*{8}008/);
  assert.match(text, /There is no \*{3} \*{3} \*{3} 008/);
  assert.match(text, /\*{4}-\*{3} 009&quot; is no number/);
  const { text: unmasked } = await page(t, {}, writeQuotedNumbers);
  for (const quoted of ['+254712000008', 'There is no +254 712 000 008', '0712-000 009'])
    assert.ok(unmasked.includes(quoted), quoted);
});

test('a page of many rows lists some of them and says where the others are', async (t) => {
  const rows = Array.from({ length: 120 }, (_, at) => ({ row: invalidRow('B-1', at + 1) }));
  const { text } = await page(t, {}, (db) => writeBatch(db, newBatch('B-1'), rows));
  assert.match(text, /and 70 more rows: failed\.csv and results\.csv have them all\./);
});

test('a batch that was never started has a page too', async (t) => {
  const { text } = await page(t, {}, (db) => writeBatch(db, newBatch('B-1'), [{ row: newRow('B-1', 1) }], null));
  assert.match(text, /The row has not been paid yet\./);
  assert.match(text, /<p class="soft small">Not read\.<\/p>/);
});

test('a browser shows the page without an error, on paper and on a phone', async (t) => {
  const browser = ['chromium', 'chromium-browser', 'google-chrome'].find(
    (name) => !spawnSync(name, ['--version']).error,
  );
  if (!browser) return t.skip('no Chromium is installed');
  const { text, path } = await page(t);
  const folder = folderOf(t);
  const common = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--user-data-dir=${join(folder, 'profile')}`,
    '--enable-logging=stderr',
    '--v=0',
  ];
  const shot = join(folder, 'phone.png');
  const phone = spawnSync(browser, [...common, '--window-size=500,900', `--screenshot=${shot}`, `file://${path}`], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.doesNotMatch(phone.stderr, /Content Security Policy|CONSOLE/);
  assert.ok((await stat(shot)).size > 10_000);
  const paper = join(folder, 'paper.pdf');
  execFileSync(browser, [...common, `--print-to-pdf=${paper}`, `file://${path}`], { stdio: 'pipe', timeout: 60_000 });
  assert.equal((await readFile(paper)).subarray(0, 5).toString(), '%PDF-');
  // The control: an inline style that the policy does not name is complained about.
  const bad = join(folder, 'bad.html');
  await writeFile(bad, text.replace('<body>', '<body style="color:red">'));
  const refused = spawnSync(browser, [...common, `--screenshot=${shot}`, `file://${bad}`], {
    encoding: 'utf8',
    timeout: 60_000,
  });
  assert.match(refused.stderr, /Content Security Policy/);
});

test('the timeline of a long batch is shown in few columns', async (t) => {
  const rows = [0, 1, 2].map((at) => {
    const ended = startMs + at * 3_600_000 * 24;
    return {
      row: newRow('B-1', at + 1),
      way: [
        ['send', { attempts: 1, first_sent_at: ended }],
        ['complete', { completed_at: ended }],
      ] as ['send' | 'complete', object][],
    };
  });
  const { text } = await page(t, {}, (db) => writeBatch(db, newBatch('B-1'), rows));
  const columns = text.match(/<rect class="f-completed" x="\d+" y="0" width="8"/g) ?? [];
  assert.equal(columns.length, 3);
  assert.match(text, /Each column is \d+ (h|min)/);
});

test('what somebody should check comes right after the headline, with the name and the number as typed', async (t) => {
  const typed = {
    line: 2,
    column: 'phone_number',
    value: '0733 514 872',
    message: 'No country.',
    suggestion: 'Add it.',
  };
  const row = invalidRow('B-1', 1, {
    phone_number: null,
    problems: JSON.stringify([{ code: 'PHONE_NEEDS_COUNTRY', ...typed }]),
    input: JSON.stringify(['0733 514 872', '1', '5', 'KES', '', '', 'Achieng Were']),
  });
  const write = (db: Database) => writeBatch(db, newBatch('B-1'), [{ row }]);
  const { text } = await page(t, {}, write);
  assert.match(text, /<title>payroll\.csv<\/title>/);
  assert.match(text, /<h1>payroll\.csv<\/h1>/);
  const headings = [...text.matchAll(/<h2>([^<]*)/g)].map(([, heading]) => heading);
  assert.deepEqual(headings.slice(0, 2), ['Rows to look at', 'Summary by status']);
  assert.match(text, /<td class="name">Achieng Were<\/td><td class="w">0733 514 872<\/td>/);
  const { text: masked } = await page(t, { mask: true }, write);
  assert.match(masked, /<td class="name">A\*\*\*<\/td><td class="w">[* ]+872<\/td>/);
});

test('three currencies and more have their own table, and no lines in a cell', async (t) => {
  const currencies = ['KES', 'UGX', 'TZS', 'KES'];
  const rows = currencies.map((currency, at) => ({
    row: newRow('B-1', at + 1, { currency, amount: '100' }),
    way: at === 3 ? failedWay(4) : completedWay(at + 1),
  }));
  const { text } = await page(t, {}, (db) => writeBatch(db, newBatch('B-1'), rows));
  assert.match(text, /<td class="n" data-name="Requested">3 currencies<span/);
  const section = /<h2>By currency<\/h2>(.*?)<\/section>/s.exec(text)?.[1] ?? '';
  const cells = [...section.matchAll(/<tr><td.*?<\/tr>/gs)].map(([line]) =>
    line.replace(/<[^>]*>/g, '|').replace(/\|+/g, '|'),
  );
  assert.deepEqual(cells, [
    '|KES|KES 100.00|KES 100.00|KES 200.00|',
    '|TZS|TZS 100.00|TZS 100.00|',
    '|UGX|UGX 100|UGX 100|',
  ]);
  const { text: one } = await page(t);
  assert.doesNotMatch(one, /By currency/);
});

test('a run that was over at once has no chart', async (t) => {
  const { text } = await page(t, {}, (db) =>
    writeBatch(db, newBatch('B-1'), [
      { row: newRow('B-1', 1), way: completedWay(1) },
      { row: newRow('B-1', 2), way: completedWay(2) },
    ]),
  );
  assert.doesNotMatch(text, /When rows ended/);
});

test('an unexplained deposit is shown with a minus', async (t) => {
  const { text } = await page(t, {}, async (db) => {
    await writeSampleBatch(db);
    await db.execute(`UPDATE batches SET balance_after = replace(balance_after, '94.4', '102.6919')`);
  });
  assert.match(text, /<i>−<\/i>\s*<div class="odd"><b>USD 8\.2919<\/b><span class="small">unexplained/);
});
