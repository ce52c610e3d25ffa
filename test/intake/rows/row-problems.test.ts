import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { intakeSettings } from '../../../src/intake/columns/settings.ts';
import type { Catalog } from '../../../src/intake/rows/network-catalog.ts';
import { check, csv, goodRow, problemCodes, testCatalog } from '../support.ts';

interface Case {
  what: string;
  row: Record<string, string>;
  code: string;
  column: string | null;
  says: RegExp;
  settings?: Record<string, unknown>;
  catalog?: Catalog;
}

/** `testCatalog` with a network that is paid in CFA francs; of Cameroon it has none. */
const withSenegal: Catalog = {
  ...testCatalog,
  networks: async (country) =>
    country === 'SN'
      ? [{ networkId: 33, name: 'Orange Senegal', countryCode: 'SN', currency: 'XOF' }]
      : testCatalog.networks(country),
};

const unreachable: Catalog = { networks: async () => null, products: async () => null };

const cases: Case[] = [
  ...(['phone_number', 'network_id', 'amount', 'currency', 'reference', 'sms_message'] as const).map((column) => ({
    what: `a formula as ${column}`,
    row: { [column]: '=B2&C2' },
    code: 'FORMULA_WITHOUT_VALUE',
    column,
    says: /^The cell holds a formula \(=B2&C2\), not its value\.$/,
  })),
  {
    what: 'a formula that was guarded',
    row: { amount: "'=B2*2" },
    code: 'FORMULA_WITHOUT_VALUE',
    column: 'amount',
    says: /\(=B2\*2\)/,
  },
  { what: 'no number', row: { phone_number: '' }, code: 'PHONE_MISSING', column: 'phone_number', says: /missing/ },
  {
    what: 'a word for a number',
    row: { phone_number: 'ask Mary' },
    code: 'PHONE_NOT_A_NUMBER',
    column: 'phone_number',
    says: /not a phone number/,
  },
  {
    what: 'a number that a spreadsheet rounded',
    row: { phone_number: '2.54713E+11' },
    code: 'PHONE_DIGITS_LOST',
    column: 'phone_number',
    says: /lost digits/,
  },
  {
    what: 'two numbers',
    row: { phone_number: '+254712345678 / +254712345679' },
    code: 'PHONE_SEVERAL',
    column: 'phone_number',
    says: /more than one/,
  },
  {
    what: 'a national number of no known country',
    row: { phone_number: '0712345678' },
    code: 'PHONE_NEEDS_COUNTRY',
    column: 'phone_number',
    says: /country code/,
  },
  {
    what: 'a number too short',
    row: { phone_number: '+25471234' },
    code: 'PHONE_INVALID',
    column: 'phone_number',
    says: /too short/,
  },
  {
    what: 'a mobile number without one of its digits, where fixed lines are as short',
    row: { phone_number: '071234567', country: 'KE' },
    code: 'PHONE_INVALID',
    column: 'phone_number',
    says: /too short: after \+254 it has 8 digits \(without its first 0\), and mobile numbers of Kenya have 9\.$/,
  },
  {
    what: 'a number too long',
    row: { phone_number: '+25471234567899' },
    code: 'PHONE_INVALID',
    column: 'phone_number',
    says: /too long/,
  },
  {
    what: 'a fixed line',
    row: { phone_number: '+254202345678' },
    code: 'PHONE_NOT_MOBILE',
    column: 'phone_number',
    says: /fixed line of Kenya/,
  },
  {
    what: 'a number of another country than the row says',
    row: { country: 'UG' },
    code: 'PHONE_OTHER_COUNTRY',
    column: 'phone_number',
    says: /Kenya.*Uganda/,
  },
  {
    what: 'a country that is none',
    row: { country: 'Atlantis' },
    code: 'COUNTRY_UNKNOWN',
    column: 'country',
    says: /Atlantis/,
  },
  {
    what: 'a country that may not be paid',
    row: {},
    settings: { guards: { countries: ['UG'] } },
    code: 'COUNTRY_NOT_ALLOWED',
    column: 'phone_number',
    says: /Kenya/,
  },
  { what: 'no network', row: { network_id: '' }, code: 'NETWORK_MISSING', column: 'network_id', says: /missing/ },
  {
    what: 'a network of another country',
    row: { network_id: '4' },
    catalog: testCatalog,
    code: 'NETWORK_UNKNOWN',
    column: 'network_id',
    says: /Network 4 is not in Kenya/,
  },
  {
    what: 'a network name that nobody has',
    row: { network_id: 'Vodafone' },
    catalog: testCatalog,
    code: 'NETWORK_UNKNOWN',
    column: 'network_id',
    says: /no network named "Vodafone"/,
  },
  {
    what: 'a network name that two have',
    row: { network_id: 'Kenya' },
    catalog: testCatalog,
    code: 'NETWORK_AMBIGUOUS',
    column: 'network_id',
    says: /1 \(Safaricom Kenya\), 2 \(Airtel Kenya\)/,
  },
  {
    what: 'a network name without a catalog',
    row: { network_id: 'Safaricom' },
    catalog: unreachable,
    code: 'NETWORK_UNRESOLVED',
    column: 'network_id',
    says: /did not give its list of networks/,
  },
  { what: 'nothing to pay', row: { amount: '' }, code: 'NOTHING_TO_PAY', column: 'amount', says: /neither/ },
  {
    what: 'an amount and a product',
    row: { product_id: '102' },
    code: 'AMOUNT_AND_PRODUCT',
    column: 'amount',
    says: /both/,
  },
  {
    what: 'a word for an amount',
    row: { amount: 'much' },
    code: 'AMOUNT_NOT_A_NUMBER',
    column: 'amount',
    says: /"much"/,
  },
  {
    what: 'an amount that can be two',
    row: { amount: '1.234' },
    code: 'AMOUNT_AMBIGUOUS',
    column: 'amount',
    says: /1234 or 1\.234/,
  },
  {
    what: 'a decimal too many',
    row: { amount: '10.505', phone_number: '+254712345679' },
    code: 'AMOUNT_AMBIGUOUS',
    column: 'amount',
    says: /10505 or 10\.505/,
  },
  {
    what: 'more decimals than the currency has',
    row: { amount: '10.5051' },
    code: 'AMOUNT_DECIMALS',
    column: 'amount',
    says: /2 decimals/,
  },
  {
    what: 'cents of a currency without cents',
    row: { currency: 'UGX', amount: '10.5' },
    code: 'AMOUNT_DECIMALS',
    column: 'amount',
    says: /no decimals/,
  },
  {
    what: 'zero',
    row: { amount: '0.00' },
    code: 'AMOUNT_NOT_POSITIVE',
    column: 'amount',
    says: /must be more than zero/,
  },
  {
    what: 'a negative amount',
    row: { amount: '(100)' },
    code: 'AMOUNT_NOT_POSITIVE',
    column: 'amount',
    says: /must be more than zero/,
  },
  {
    what: 'less than the minimum',
    row: { amount: '4.99' },
    settings: { guards: { amountMin: { KES: '5' } } },
    code: 'AMOUNT_TOO_SMALL',
    column: 'amount',
    says: /KES 5\.00/,
  },
  {
    what: 'more than the maximum',
    row: { amount: '100.01' },
    settings: { guards: { amountMax: { KES: '100' } } },
    code: 'AMOUNT_TOO_LARGE',
    column: 'amount',
    says: /KES 100\.00/,
  },
  {
    what: 'a phone number for an amount',
    row: { amount: '254712345678' },
    code: 'AMOUNT_TOO_LARGE',
    column: 'amount',
    says: /right column|larger/,
  },
  { what: 'no currency', row: { currency: '' }, code: 'CURRENCY_MISSING', column: 'currency', says: /no currency/ },
  {
    what: 'a currency that is none',
    row: { currency: 'SHILLING' },
    code: 'CURRENCY_UNKNOWN',
    column: 'currency',
    says: /SHILLING/,
  },
  {
    what: 'two currencies',
    row: { amount: 'USD 10' },
    code: 'CURRENCY_CONFLICT',
    column: 'currency',
    says: /KES.*USD/,
  },
  {
    what: 'a currency that the network does not have',
    row: { currency: 'UGX' },
    catalog: testCatalog,
    code: 'CURRENCY_OF_OTHER_COUNTRY',
    column: 'currency',
    says: /KES.*UGX/,
  },
  {
    what: 'a product id with spaces',
    row: { amount: '', product_id: '1 GB a day' },
    code: 'PRODUCT_INVALID',
    column: 'product_id',
    says: /too long, or has spaces/,
  },
  {
    what: 'a product that is not sold',
    row: { amount: '', product_id: '199' },
    catalog: testCatalog,
    code: 'PRODUCT_UNKNOWN',
    column: 'product_id',
    says: /no product "199"/,
  },
  {
    what: 'a reference too long',
    row: { reference: 'R'.repeat(81) },
    code: 'REFERENCE_INVALID',
    column: 'reference',
    says: /longer than 80/,
  },
  {
    what: 'a reference that looks like a repeated payment',
    row: { reference: 'R-1~2' },
    code: 'REFERENCE_INVALID',
    column: 'reference',
    says: /"~"/,
  },
  {
    what: 'a yes for a text message',
    row: { sms: 'YES' },
    code: 'SMS_NOT_A_TEXT',
    column: 'sms',
    says: /"YES" would be sent as the text/,
  },
  {
    what: 'a text message too long',
    row: { sms_message: 'x'.repeat(460) },
    code: 'SMS_TOO_LONG',
    column: 'sms_message',
    says: /460 characters/,
  },
];

describe('a wrong row', () => {
  for (const { what, row, code, column, says, settings, catalog } of cases) {
    test(`with ${what} is invalid (${code})`, async () => {
      const { rows } = await check(csv([goodRow(row)]), {
        ...(settings ? { settings } : {}),
        ...(catalog ? { catalog } : {}),
      });
      const [checked] = rows;
      assert.equal(checked?.status, 'invalid');
      assert.deepEqual(problemCodes(checked), [code]);
      const [problem] = checked?.problems ?? [];
      assert.equal(problem?.column, column);
      assert.equal(problem?.line, 2);
      assert.match(problem?.message ?? '', says);
      assert.notEqual(problem?.suggestion, '');
    });
  }

  test('is the only one refused: the other rows of the file are ready', async () => {
    const { rows } = await check(csv([goodRow({ amount: '-1' }), goodRow({ amount: '7' }), goodRow({ amount: 'x' })]));
    assert.deepEqual(
      rows.map(({ status }) => status),
      ['invalid', 'ready', 'invalid'],
    );
  });

  test('has yes or no as the text of the SMS, however written; a text that begins with one is a text', async () => {
    const flags =
      'TRUE false Yes NO 1 0 y N x - ✓ N/A none Oui non Vrai Sí Não Ndiyo hapana WAHR Falsch ja Nein enabled'.split(
        ' ',
      );
    const texts = ['No airtime without you!', 'Merci', 'OK', 'Non-stop', 'Ja, danke', 'True thanks', '10'];
    const { rows } = await check(csv([...flags, ...texts].map((sms) => goodRow({ sms }))), {
      settings: { smsMessage: 'Thank you', duplicates: 'allow' },
    });
    assert.deepEqual(
      rows.filter((row) => problemCodes(row).includes('SMS_NOT_A_TEXT')).map(({ input }) => JSON.parse(input).at(-1)),
      flags,
    );
    assert.deepEqual(
      rows.filter(({ status }) => status === 'ready').map(({ sms_message }) => sms_message),
      texts,
    );
    assert.throws(() => intakeSettings({ smsMessage: 'true' }), /intake\.smsMessage is the text itself/);
  });

  test('may show its currency by a sign, also beside a currency column; a sign of several currencies counts as none', async () => {
    const currencyOf = async (currency: string) => {
      const { rows } = await check(csv([goodRow({ currency })]));
      return rows[0]?.currency ?? problemCodes(rows[0])[0];
    };
    for (const sign of ['KSh', 'Ksh.', 'Kshs', 'KShs.', 'kes']) assert.equal(await currencyOf(sign), 'KES', sign);
    for (const sign of ['$', 'constructor', '__proto__'])
      assert.equal(await currencyOf(sign), 'CURRENCY_UNKNOWN', sign);
  });

  test('in CFA francs gets the one of its network, or of the country of its number, and no other currency', async () => {
    const faultsOf = async (row: Record<string, string>, settings = {}) => {
      const { rows } = await check(csv([goodRow(row)]), { settings, catalog: withSenegal });
      return (rows[0]?.problems ?? []).map(({ code, suggestion }) => `${code}: ${suggestion}`);
    };
    const senegal = { phone_number: '+221771234567', network_id: '33' };
    for (const currency of ['FCFA', 'fcfa', 'F CFA', 'CFA', 'Francs CFA'])
      assert.deepEqual(await faultsOf({ ...senegal, currency }), [
        'CURRENCY_UNKNOWN: Write XOF, in which the network is paid.',
      ]);
    const cameroon = { phone_number: '+237671234567', network_id: '', currency: 'FCFA' };
    assert.equal((await faultsOf(cameroon))[1], 'CURRENCY_UNKNOWN: Write XAF, the CFA franc of Cameroon.');
    assert.deepEqual(await faultsOf({ currency: 'FCFA' }), [
      'CURRENCY_UNKNOWN: Give the amount in KES, in which the network is paid.',
    ]);
    assert.equal(
      (await faultsOf({ phone_number: '', currency: 'FCFA' })).at(-1),
      'CURRENCY_UNKNOWN: Write the code of the right currency.',
    );
    assert.deepEqual(await faultsOf({ ...senegal, amount: '500 FCFA', currency: '' }), [
      'CURRENCY_MISSING: Write XOF, in which the network is paid.',
    ]);
    assert.deepEqual(await faultsOf({ ...senegal, amount: '500 FCFA', currency: '' }, { currency: 'XOF' }), []);
    assert.deepEqual(await faultsOf({ ...senegal, amount: '500 FCFA', currency: 'XOF' }), []);
  });

  test('in CFA francs is never paid in another currency of the row or the command line', async () => {
    for (const currency of ['KES', '']) {
      const { rows } = await check(csv([goodRow({ amount: '500 FCFA', currency })]), { settings: { currency: 'KES' } });
      assert.deepEqual(problemCodes(rows[0]), ['CURRENCY_CONFLICT']);
    }
  });

  test('with a sign of several currencies is never paid in one that is not written so', async () => {
    for (const [amount, currency] of [
      ['$ 500', 'KES'],
      ['500$', ''],
      ['£500', 'NGN'],
      ['₨ 500', 'USD'],
    ] as const) {
      const { rows } = await check(csv([goodRow({ amount, currency })]), {
        settings: { currency: 'KES' },
        catalog: unreachable,
      });
      assert.deepEqual(problemCodes(rows[0]), ['CURRENCY_CONFLICT'], `${amount} ${currency}`);
    }
    for (const [amount, currency] of [
      ['$ 500', 'USD'],
      ['$500', 'CAD'],
      ['£500', 'EGP'],
      ['₨ 500', 'PKR'],
    ] as const) {
      const { rows } = await check(csv([goodRow({ amount, currency })]), { catalog: unreachable });
      assert.deepEqual(problemCodes(rows[0]), [], `${amount} ${currency}`);
    }
  });

  test('without a currency gets the advice to write that of its network', async () => {
    const { rows } = await check(
      csv([goodRow({ phone_number: '+221771234567', network_id: '33', currency: 'SHILLING' })]),
      { catalog: withSenegal },
    );
    assert.equal(rows[0]?.problems[0]?.suggestion, 'Write the three-letter code, such as XOF.');
  });

  test('lists every reason at once', async () => {
    const { rows } = await check(
      csv([goodRow({ phone_number: '', network_id: '', amount: 'x', currency: 'YYY', reference: 'a~2' })]),
    );
    assert.deepEqual(problemCodes(rows[0]), [
      'PHONE_MISSING',
      'NETWORK_MISSING',
      'AMOUNT_NOT_A_NUMBER',
      'CURRENCY_UNKNOWN',
      'REFERENCE_INVALID',
    ]);
  });

  test('shows the wrong cell, cut to a safe length', async () => {
    const { rows } = await check(csv([goodRow({ amount: 'x'.repeat(5_000) })]));
    assert.equal(rows[0]?.problems[0]?.value?.length, 80);
    assert.ok((rows[0]?.problems[0]?.message.length ?? 0) < 200);
  });

  test('with more cells than the header is refused as a whole, since its values may be in wrong columns', async () => {
    const { rows } = await check('phone_number,network_id,amount,currency\n+254712345678,1,1,000,KES\n');
    assert.deepEqual(problemCodes(rows[0]), ['ROW_TOO_LONG']);
    assert.equal(rows[0]?.amount, null);
    assert.equal(rows[0]?.input, '["+254712345678","1","1","000","KES"]');
  });

  test('with a quote that makes the end of a cell unclear is refused', async () => {
    const { rows } = await check(
      'phone_number,network_id,amount,currency,name\n+254712345678,1,5,KES,"Joe "Max", Kim\n+254712345679,1,5,KES,x"y\n',
    );
    assert.deepEqual(rows.map(problemCodes), [['QUOTE_STRAY'], []]);
    const stray = await check('phone_number,network_id,amount,currency,name\n+254712345678,1,5,KES,"Joe "Max\n');
    assert.deepEqual(problemCodes(stray.rows[0]), []);
    const open = await check('phone_number,network_id,amount,currency,name,x\n+254712345678,1,5,KES,"Joe", Max"\n');
    assert.deepEqual(problemCodes(open.rows[0]), ['QUOTE_STRAY']);
  });

  test('with a quote at an end of a cell is read if the cell is in quotes as it must be', async () => {
    const header = 'phone_number,network_id,amount,currency,name';
    const names = ['"TV 32"""', 'TV 32"', '"""Joe"', '"Anna ""Kim"""'];
    const lines = names.map((name, index) => `+25471234567${index},1,5,KES,${name}`);
    const { rows } = await check(`${[header, ...lines].join('\n')}\n`);
    assert.deepEqual(rows.map(problemCodes), [[], ['QUOTE_STRAY'], [], []]);
    assert.match(rows[0]?.input ?? '', /TV 32\\""/);
  });

  test('with such a cell is read where its file is long, too', async () => {
    const header = 'phone_number,network_id,amount,currency,name';
    const lines = Array.from({ length: 20_000 }, (_, row) => `+2547${12_000_000 + row},1,5,KES,"TV 32"""`);
    const { rows } = await check(`${[header, ...lines].join('\n')}\n`);
    assert.equal(rows.length, 20_000);
    assert.deepEqual(rows.flatMap(problemCodes), []);
  });

  test('that includes the next row is refused, and only that one', async () => {
    const header = 'phone_number,network_id,amount,currency,name';
    const lines = ['+254712345671,1,5,KES,"Kim', '+254712345672,1,5,KES,Lee', '+254712345673,1,5,KES,Max"', ''];
    const after = '+254712345674,1,5,KES,"two\nlines, and a comma"\n';
    const { rows } = await check(`${header}\n${lines.join('\n')}${after}`);
    assert.deepEqual(rows.map(problemCodes), [['ROW_SWALLOWED'], []]);
    assert.deepEqual(
      rows.map(({ line }) => line),
      [2, 5],
    );
  });

  test('may have empty cells beyond the header', async () => {
    const { rows } = await check('phone_number,network_id,amount,currency\n+254712345678,1,1000,KES,,\n');
    assert.equal(rows[0]?.status, 'ready');
  });

  test('that ends the file in the middle is refused', async () => {
    const good = '+254712345678,1,1000,KES,R-1';
    const { rows } = await check(`phone_number,network_id,amount,currency,reference\n${good}\n+254712345679,1,10`);
    assert.deepEqual(problemCodes(rows[1]), ['ROW_CUT_SHORT']);
  });
});

test('a currency is read the same in upper and lower case, and however often it occurs', async () => {
  const letters = fc.tuple(...[...'KES'].map((letter) => fc.constantFrom(letter, letter.toLowerCase())));
  const written = fc.tuple(letters, fc.constantFrom('', ' ', '\u00a0')).map(([code, space]) => code.join('') + space);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.oneof(written, fc.constantFrom('KEX', 'kex')), { minLength: 1 }), async (cells) => {
      const { rows } = await check(csv(cells.map((currency) => goodRow({ currency }))));
      assert.deepEqual(
        rows.map(({ currency }) => currency),
        cells.map((cell) => (/^kes/i.test(cell) ? 'KES' : null)),
      );
    }),
    { numRuns: 200 },
  );
});

describe('a catalog', () => {
  test('finds a network by its name, in any case, and checks the product', async () => {
    const row = goodRow({ network_id: 'SAFARICOM', amount: '', currency: '', product_id: '102' });
    const { rows } = await check(csv([row]), { catalog: testCatalog });
    assert.deepEqual([rows[0]?.status, rows[0]?.network_id, rows[0]?.product_id], ['ready', 1, '102']);
  });

  test('is asked once for each country', async () => {
    const asked: string[] = [];
    const counting: Catalog = {
      ...testCatalog,
      networks: (country) => {
        asked.push(country);
        return testCatalog.networks(country);
      },
    };
    const rows = Array.from({ length: 50 }, (_, index) => goodRow({ amount: String(index + 1) }));
    await check(csv(rows), { catalog: counting, chunkBytes: 100 });
    assert.deepEqual(asked, ['KE']);
  });

  test('looked up in the middle of a file changes the place of no row', async () => {
    const ugandan = goodRow({ phone_number: '+256772123456', network_id: 'MTN', currency: 'UGX' });
    const product = goodRow({ amount: '', currency: '', product_id: '102' });
    const rows = [
      goodRow(),
      goodRow({ amount: '7' }),
      ugandan,
      product,
      goodRow({ amount: '1,234' }),
      goodRow({ amount: '2.50' }),
    ];
    const { findings, rows: checked } = await check(csv(rows), { catalog: testCatalog });
    assert.deepEqual(
      checked.map(({ row_no, line, network_id, amount }) => [row_no, line, network_id, amount]),
      [
        [1, 2, 1, '100'],
        [2, 3, 1, '7'],
        [3, 4, 4, '100'],
        [4, 5, 1, null],
        [5, 6, 1, '1234'],
        [6, 7, 1, '2.5'],
      ],
    );
    assert.equal(findings.counts.rows, rows.length);
  });

  test('that does not name the countries of its networks gives only names', async () => {
    const everywhere: Catalog = {
      networks: async () => [{ networkId: 9, name: 'Safaricom', countryCode: '', currency: null }],
      products: async () => [],
    };
    const { rows } = await check(csv([goodRow({ network_id: 'Safaricom' }), goodRow({ amount: '7' })]), {
      catalog: everywhere,
    });
    assert.deepEqual(
      rows.map(({ status, network_id }) => [status, network_id]),
      [
        ['ready', 9],
        ['ready', 1],
      ],
    );
  });

  test('is not asked if the configuration says so', async () => {
    const { rows, findings } = await check(csv([goodRow({ network_id: '77' })]), {
      catalog: testCatalog,
      settings: { catalog: 'ignore' },
    });
    assert.deepEqual([rows[0]?.network_id, findings.warnings], [77, []]);
  });

  test('that cannot be reached lets rows with ids pass, with a warning', async () => {
    const { rows, findings } = await check(csv([goodRow()]), { catalog: unreachable });
    assert.equal(rows[0]?.status, 'ready');
    assert.match(findings.warnings[0] ?? '', /did not give its list of networks/);
  });
});

test('a text that begins with "=" and is not a formula is kept as text', async () => {
  const { rows } = await check(
    csv([
      goodRow({ phone_number: '="+254712345678"', sms_message: '=== Thank you ===' }),
      goodRow({ phone_number: '+254712345679', reference: 'A=B' }),
    ]),
  );
  assert.deepEqual(rows.map(problemCodes), [[], []]);
});
