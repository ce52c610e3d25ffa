import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Field } from '../../../src/intake/cells/fields.ts';
import { currencyOfAmounts, meaningOf } from '../../../src/intake/columns/column-names.ts';
import { planColumns } from '../../../src/intake/columns/columns.ts';
import type { Catalog } from '../../../src/intake/rows/network-catalog.ts';
import { check, problemCodes } from '../support.ts';

const defaults = { currency: null, networkId: null };

const unreachable: Catalog = { networks: async () => null, products: async () => null };
const plan = (header: string[], mapping: Partial<Record<Field, string>> = {}) => planColumns(header, mapping, defaults);

/** A header as people of each language write it. */
const headers: Record<string, Record<string, Field>> = {
  English: {
    'Mobile Number': 'phone_number',
    'Mobile Network': 'network_id',
    'Top-up amount': 'amount',
    CCY: 'currency',
    'Payment Reference': 'reference',
    Bundle: 'product_id',
    'SMS text': 'sms_message',
    'Country code': 'country',
  },
  French: {
    'Numéro de téléphone': 'phone_number',
    Opérateur: 'network_id',
    Montant: 'amount',
    Devise: 'currency',
    'N° de référence': 'reference',
    Forfait: 'product_id',
    'Texte du message': 'sms_message',
    Pays: 'country',
  },
  Spanish: {
    'Número de teléfono móvil': 'phone_number',
    Operadora: 'network_id',
    Importe: 'amount',
    Moneda: 'currency',
    Referencia: 'reference',
    Paquete: 'product_id',
    Mensaje: 'sms_message',
    País: 'country',
  },
  Portuguese: {
    'Nº de telemóvel': 'phone_number',
    Rede: 'network_id',
    Valor: 'amount',
    Moeda: 'currency',
    'Nº de referência': 'reference',
    Pacote: 'product_id',
    Mensagem: 'sms_message',
    'Código do país': 'country',
  },
  Swahili: {
    'Nambari ya simu': 'phone_number',
    Mtandao: 'network_id',
    Kiasi: 'amount',
    Sarafu: 'currency',
    Kumbukumbu: 'reference',
    Kifurushi: 'product_id',
    Ujumbe: 'sms_message',
    Nchi: 'country',
  },
  German: {
    Handynummer: 'phone_number',
    Netzbetreiber: 'network_id',
    Betrag: 'amount',
    Währung: 'currency',
    'Referenz-Nr.': 'reference',
    Datenpaket: 'product_id',
    Nachricht: 'sms_message',
    Land: 'country',
  },
};

describe('columns', () => {
  for (const [language, names] of Object.entries(headers)) {
    test(`are known by their names in ${language}`, () => {
      const { understood } = plan(Object.keys(names));
      assert.deepEqual(Object.fromEntries(understood.map(({ column, field }) => [column, field])), names);
    });
  }

  for (const name of [
    'MSISDN',
    ' phone_number ',
    'PhoneNumber',
    'Phone No.',
    '"Phone"',
    'TEL:',
    'Phone\u00A0Number',
    'Ｐｈｏｎｅ',
  ]) {
    test(`are known whatever their case and punctuation: ${JSON.stringify(name)}`, () => {
      assert.equal(meaningOf(name), 'phone_number');
    });
  }

  for (const name of [
    'Telefon',
    'Telefon-Nr.',
    'Tel.-Nr.',
    'Rufnummer',
    'MOBILFUNKNUMMER',
    'Telefonnummer des Empfängers',
  ]) {
    test(`are known if German words are joined: ${name}`, () => {
      assert.equal(meaningOf(name), 'phone_number');
    });
  }

  test('are known in German without umlauts', () => {
    assert.deepEqual(
      ['Waehrung', 'Laendercode'].map((name) => meaningOf(name)),
      ['currency', 'country'],
    );
  });

  // Spec section 4.9: its reference is what Version 1 pays once, so two rows with one are not two payments.
  test('are known by their names of Version 1: rows with the same extRefId are refused', async () => {
    const content = 'msisdn,amount,extRefId,network,currency\n254712345678,100,A,1,KES\n254712345678,150,A,1,KES\n';
    const { rows, findings } = await check(content);
    assert.deepEqual(findings.understood[2], { column: 'extRefId', field: 'reference' });
    assert.deepEqual(rows.map(problemCodes), [['REFERENCE_TWICE'], ['REFERENCE_TWICE']]);
  });

  test('are not read for a name that is only similar', () => {
    for (const name of [
      'Phone model',
      'Employee number',
      'Amount paid last month',
      'Home address',
      'Personalnummer',
      '',
      '123',
    ]) {
      assert.equal(meaningOf(name), null, name);
    }
  });

  test('may be in any order, among others that are kept and not read', async () => {
    const { rows, findings } = await check(
      'Employee,Montant,devise,Réseau,Téléphone\nAmina,5.50,KES,1,+254712345678\n',
    );
    assert.equal(rows[0]?.status, 'ready');
    assert.equal(rows[0]?.amount, '5.5');
    assert.deepEqual(findings.understood[0], { column: 'Employee', field: null });
    assert.deepEqual(findings.understood[4], { column: 'Téléphone', field: 'phone_number' });
  });

  test('are read by the mapping before any name', async () => {
    const content = 'phone_number;Handy;network_id;amount;currency\nx;+254712345678;1;5;KES\n';
    const { rows } = await check(content, { settings: { columns: { phone_number: 'handy' } } });
    assert.deepEqual([rows[0]?.status, rows[0]?.phone_number], ['ready', '+254712345678']);
  });

  test('are a question if a column that is not read may have the currencies', () => {
    const header = ['phone_number', 'network_id', 'amount', 'Currency of salary'];
    assert.throws(() => plan(header), {
      code: 'FILE_REJECTED',
      message: /may be in the column "Currency of salary", which is not read/,
      hint: /--map currency="Currency of salary".*"Amount \(KES\)"/,
    });
    assert.equal(plan(header, { currency: 'Currency of salary' }).plan.currency, 3);
    assert.equal(plan(['phone_number', 'network_id', 'amount (KES)', 'Currency of salary']).amountCurrency, 'KES');
    assert.equal(plan(['phone_number', 'network_id', 'amount', 'airtime_currency']).plan.currency, 3);
    assert.throws(() => plan(['phone_number', 'network_id', 'airtime_amount', 'currency', 'airtime_currency']), {
      message: /"currency" and "airtime_currency" could each be the currency/,
    });
  });

  test('are a question, not a guess, if two columns could be meant', () => {
    assert.throws(() => plan(['mobile', 'telephone', 'network_id', 'amount']), {
      code: 'FILE_REJECTED',
      message: /"mobile" and "telephone" could each be the phone_number/,
      hint: /--map phone_number="mobile", or intake\.columns\.phone_number/,
    });
    assert.equal(
      plan(['mobile', 'telephone', 'network_id', 'amount'], { phone_number: 'telephone' }).plan.phone_number,
      1,
    );
  });

  test('may name the currency of their amounts', async () => {
    const { rows } = await check('Phone,Network,Montant (XOF)\n+221771234567,33,1500\n');
    assert.deepEqual([rows[0]?.status, rows[0]?.amount, rows[0]?.currency], ['ready', '1500', 'XOF']);
    const other = await check('Phone,Network,Amount in KES,Currency\n+254712345678,1,5,UGX\n');
    assert.deepEqual(problemCodes(other.rows[0]), ['CURRENCY_CONFLICT']);
    for (const header of ['Montant (FCFA)', 'Montant en F CFA', 'Amount (CFA)'])
      assert.deepEqual([meaningOf(header), currencyOfAmounts(header)], ['amount', 'FCFA'], header);
    assert.deepEqual(meaningOf('Amount due'), null);
  });

  for (const [header, currency] of [
    ['Betrag in EUR', 'EUR'],
    ['Amount (€)', 'EUR'],
    ['Amount (KSh)', 'KES'],
    ['Amount Ksh.', 'KES'],
    ['amount (kes)', 'KES'],
    ['amount_kes', 'KES'],
    ['amountKES', 'KES'],
    ['Amount (KES) *', 'KES'],
    ['Amount in (KES)', 'KES'],
    ['AMOUNT€', 'EUR'],
    ['Amount (GH₵)', 'GHS'],
    ['Amount (USD $)', 'USD'],
    ['Montant (F CFA)', 'FCFA'],
    ['Montant en francs CFA', 'FCFA'],
    ['Net pay (USD)', 'USD'],
    ['Net pay USD', 'USD'],
    ['Net pay in ₦', 'NGN'],
    ['KES net pay', 'KES'],
    ['KSh net pay', 'KES'],
    ['€ net pay', 'EUR'],
    ['KES AMOUNT', 'KES'],
    ['kes_amount', 'KES'],
    ['KES: Amount', 'KES'],
    ['FCFA net', 'FCFA'],
    ['All amounts', null],
    ['MAD MEN PAID', null],
    ['Mad men', null],
    ['Net pay', null],
    ['Net pay all', null],
    ['Top up', null],
    ['Amount ($)', null],
  ] as const) {
    test(`with amounts may name their currency in a header with other words: ${header}`, () => {
      assert.equal(currencyOfAmounts(header), currency);
    });
  }

  test('with amounts are known if the header names their currency', () => {
    for (const header of [
      'Betrag in EUR',
      'Amount (€)',
      'Amount (KSh)',
      'amount_kes',
      'amountKES',
      'Amount (GH₵)',
      'Amount (USD $)',
      'Amount ($)',
      'KES Amount',
      'kes_amount',
    ])
      assert.equal(meaningOf(header), 'amount', header);
  });

  test('are read fast, however long their names are', () => {
    for (const header of [`${'('.repeat(200_000)}x`, `Amount ${' '.repeat(200_000)}KES`])
      assert.equal(currencyOfAmounts(header), null);
  });

  test('with a currency in the header are a question if the rows name none and the settings another', async () => {
    for (const [header, currency] of [
      ['Amount (KES)', 'UGX'],
      ['Amount ($)', 'KES'],
      ['Amount (€)', 'KES'],
      ['Montant (FCFA)', 'KES'],
      ['Net pay (USD)', 'KES'],
    ] as const) {
      const settings = { currency, columns: { amount: header } };
      const { rows } = await check(`phone,network_id,${header}\n+254712345678,1,500\n`, {
        settings,
        catalog: unreachable,
      });
      assert.deepEqual(
        rows[0]?.problems.map(({ code, column, message }) => ({ code, column, message })),
        [
          {
            code: 'CURRENCY_CONFLICT',
            column: header,
            message: `The currency is ${currency}, but the amount column is named "${header}".`,
          },
        ],
      );
    }
    for (const [header, currency] of [
      ['Amount (KES)', 'KES'],
      ['Amount ($)', 'USD'],
      ['Montant (FCFA)', 'XAF'],
    ] as const) {
      const content = `phone,network_id,${header}\n+254712345678,1,500\n`;
      const { rows } = await check(content, { settings: { currency }, catalog: unreachable });
      assert.deepEqual([rows[0]?.status, rows[0]?.currency], ['ready', currency], header);
    }
  });

  test('with a currency in the header contradict another currency in a cell', async () => {
    for (const header of ['Amount (KES)', 'Amount ($)']) {
      const content = `phone,network_id,${header}\n+254712345678,1,UGX 500\n`;
      const { rows } = await check(content, { catalog: unreachable });
      assert.deepEqual(problemCodes(rows[0]), ['CURRENCY_CONFLICT'], header);
      assert.equal(rows[0]?.problems[0]?.suggestion, 'Correct the column name, or the currency.');
    }
  });

  test('have only the currency of their header, whatever the command line or a cell says', async () => {
    for (const [header, amount, currency] of [
      ['Amount (€)', '5', 'KES'],
      ['Amount (KES)', 'USD 5', ''],
      ['Amount (KES)', '5 FCFA', ''],
      ['Amount ($)', '5', 'KES'],
      ['Amount $', '5', ''],
      ['Amount (£)', 'KES 5', ''],
    ] as const) {
      const { rows } = await check(`Phone,Network,${header},Currency\n+254712345678,1,${amount},${currency}\n`, {
        settings: { currency: 'KES' },
      });
      assert.deepEqual(problemCodes(rows[0]), ['CURRENCY_CONFLICT'], `${header} ${amount} ${currency}`);
    }
    const noColumn = await check('Phone,Network,Amount (KES)\n+254712345678,1,USD 5\n');
    assert.equal(noColumn.rows[0]?.problems[0]?.column, 'Amount (KES)');
    const mapped = await check('Phone,Network,Pay (US$)\n+254712345678,1,5\n', {
      settings: { currency: 'KES', columns: { amount: 'Pay (US$)' } },
    });
    assert.deepEqual(problemCodes(mapped.rows[0]), ['CURRENCY_CONFLICT']);
    const { rows } = await check('Phone,Network,Amount ($)\n+254712345678,,5\n', { settings: { currency: 'USD' } });
    assert.ok(!problemCodes(rows[0]).includes('CURRENCY_CONFLICT'));
    const west = await check('Phone,Network,Montant (FCFA)\n+221771234567,33,XOF 1500\n');
    assert.deepEqual([west.rows[0]?.status, west.rows[0]?.currency], ['ready', 'XOF']);
  });

  test('with the number that airtime goes to are not amounts', () => {
    assert.equal(meaningOf('Airtime number'), 'phone_number');
    assert.equal(meaningOf('Airtime'), 'amount');
  });

  test('that may name a person hold phone numbers if their name says so', () => {
    for (const [name, numbered] of [
      ['Contact', 'Contact No.'],
      ['Contacto', 'Número de contacto'],
      ['Ruf', 'Rufnummer'],
    ] as const)
      assert.deepEqual([meaningOf(name), meaningOf(numbered)], [null, 'phone_number']);
  });

  test('with our own names win over aliases, but never if that decides who is paid, how much, or once', () => {
    const header = ['phone_number', 'network_id', 'amount', 'reference'];
    assert.equal(plan([...header, 'operator']).plan.network_id, 1);
    for (const [alias, field] of [
      ['phone', 'phone_number'],
      ['airtime amount', 'amount'],
      ['Payment reference', 'reference'],
    ] as const)
      assert.throws(
        () => plan([...header, alias]),
        { code: 'FILE_REJECTED', message: new RegExp(`"${alias}"`) },
        field,
      );
  });

  test('that are missing can be given by a mapping', () => {
    assert.throws(() => plan(['phone', 'network_id', 'pay']), {
      message: /no column for amount \(or product_id\); its header reads "phone", "network_id", "pay"/,
      hint: /^Add the column amount \(or product_id\), or, .* which one it is: --map amount="\.\.\."\. Nothing was sent\.$/,
    });
    assert.throws(() => plan(['Numéro', 'Devise']), {
      hint: /: --map phone_number="\.\.\." --map network_id="\.\.\." --map amount="\.\.\."\./,
    });
  });

  test('missing below a good header are to be added, not to be looked for above it', () => {
    assert.throws(() => plan(['phone', 'amount', 'currency']), {
      hint: 'Add the column network_id, or, if the file has it under another name, say which one it is: --map network_id="...". Nothing was sent.',
    });
    assert.throws(() => plan(['network', 'currency']), {
      hint: /^Add the columns phone_number and amount \(or product_id\), or, if the file has them under other names, say which ones they are: --map phone_number="\.\.\." --map amount="\.\.\."\. /,
    });
  });

  test('of a file in which each line is one cell are not guessed', () => {
    const sample = [['+254712345678:1:10'], ['+254712345679:1:20']];
    assert.throws(() => planColumns(['phone:network:amount'], {}, defaults, { sample }), {
      message: /its header reads "phone:network:amount"$/,
      hint: /^Each line is a single cell: put commas, semicolons or tabs between the cells, as a spreadsheet does when it saves a CSV\./,
    });
    const title = { sample: [['phone', 'network', 'amount']] };
    assert.throws(() => planColumns(['Payroll: November'], {}, defaults, title), { hint: /^The first line must name/ });
  });

  test('below a line that is wrongly named as the header are not looked for above it', () => {
    const row = ['+254712345678', '1', '10'];
    const wrong = () => planColumns(row, {}, defaults, { headerLine: 3 });
    assert.throws(wrong, {
      message: /; line 3, which is named as the header, has a number as a row does: it is not a header$/,
      hint: 'Give the number of the line that has the column names (--header-line, or intake.headerLine), or leave it out if that is the first one. Nothing was sent.',
    });
  });

  test('of a mapping must exist: the message lists those of the file, as many as fit', () => {
    assert.throws(() => plan(['phone', 'network_id', 'amount'], { amount: 'Net pay' }), {
      code: 'FILE_REJECTED',
      message:
        'the mapping reads amount from the column "Net pay", but the file has no such column; its header reads "phone", "network_id", "amount"',
      hint: 'Name a column of the file: --map amount="...", or intake.columns.amount in the configuration. Nothing was sent.',
    });
    const many = Array.from({ length: 20 }, (_, index) => `c${index + 1}`);
    assert.throws(() => plan(many, { amount: 'Net pay' }), /reads "c1", .*"c12", \.\.\.$/);
    assert.throws(() => plan(many.slice(0, 12), { amount: 'Net pay' }), /reads "c1", .*"c12"$/);
  });

  test('missing from a file without a header are reported without the person in its first line', () => {
    const person = ['Amina', '+254712345678', '50'];
    for (const mapping of [{}, { amount: 'Net pay' }])
      assert.throws(
        () => plan(person, mapping),
        ({ message, hint }: Error & { hint?: string }) => {
          assert.match(message, /; its first line has a number as a row does: it is not a header$/);
          assert.doesNotMatch(message + hint, /Amina|712345678/);
          return true;
        },
      );
    assert.throws(() => plan(person), { hint: /^Put a line above it that names the columns, such as phone_number,/ });
  });

  test('with two meanings are refused', () => {
    assert.throws(
      () => plan(['phone', 'network_id', 'x'], { amount: 'x', product_id: 'x' }),
      /"x" both as amount and as product_id/,
    );
  });
});
