import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Network, Product } from '../../src/gateway/contract/gateway.ts';
import { type MigrationFacts, migrateRow, type V1Row } from '../../src/gateway/migrate.ts';

const row: V1Row = {
  msisdn: '254712345678',
  amount: '100',
  currency: null,
  productId: null,
  extRefId: 'emp-1',
  sendSMS: null,
  processingMode: null,
};
const safaricom: Network = {
  networkId: 7,
  name: 'Safaricom',
  countryCode: 'KE',
  countryName: 'Kenya',
  currency: 'KES',
};
const airtel: Network = { ...safaricom, networkId: 8, name: 'Airtel' };
const oldBundle: Product = {
  productId: '11',
  name: 'Daily 1 GB',
  networkId: 3,
  networkName: 'Safaricom',
  amount: { value: '99', currency: '' },
};
const newBundle: Product = {
  ...oldBundle,
  productId: 'ke-saf-1gb',
  networkId: 7,
  amount: { value: '99', currency: 'KES' },
};
const facts: MigrationFacts = { networks: [safaricom], product: null, products: [newBundle] };

const effects = (changed: Partial<V1Row>, known: Partial<MigrationFacts> = {}) =>
  migrateRow({ ...row, ...changed }, { ...facts, ...known }).map(({ field, effect, to }) => [field, effect, to]);

const network = ['network_id', 'changes', '7'];
const number = ['phone_number', 'changes', '+254712345678'];
const currency = ['currency', 'changes', 'KES'];

describe('a row of Version 1 that is converted to Version 2', () => {
  test('gets a "+", a network and a currency', () => {
    assert.deepEqual(effects({}), [number, network, currency]);
  });

  test('keeps a number that has its "+", and a currency that matches', () => {
    assert.deepEqual(effects({ msisdn: '+254712345678', currency: 'KES' }), [network]);
  });

  test('needs a person if the number is invalid', () => {
    for (const msisdn of [null, '', '0712345678', '2.54712E+11', '25471234x678', '+0712345678']) {
      assert.deepEqual(effects({ msisdn })[0], ['phone_number', 'needed', null], String(msisdn));
    }
  });

  test('needs a person if the network is not clear', () => {
    for (const networks of [null, [], [safaricom, airtel]]) {
      assert.deepEqual(effects({ currency: 'KES' }, { networks }), [number, ['network_id', 'needed', null]]);
    }
    const [, note] = migrateRow(row, { ...facts, networks: [safaricom, airtel] });
    assert.match(note?.why ?? '', /7 \(Safaricom, Kenya\), 8 \(Airtel, Kenya\)/);
  });

  test('gets the currency that all possible networks share; another currency is a question', () => {
    assert.deepEqual(effects({}, { networks: [safaricom, airtel] }).at(-1), currency);
    assert.deepEqual(effects({}, { networks: null }).at(-1), ['currency', 'needed', null]);
    assert.deepEqual(effects({ currency: 'USD' }).at(-1), ['currency', 'needed', 'KES']);
  });

  test('needs a new product, and shows the one with the same name', () => {
    const product = { productId: '11', amount: null };
    assert.deepEqual(effects(product, { product: oldBundle }), [
      number,
      network,
      ['product_id', 'changes', 'ke-saf-1gb'],
    ]);
    assert.deepEqual(effects(product), [number, network, ['product_id', 'needed', null]]);
    assert.deepEqual(effects(product, { product: oldBundle, products: [newBundle, newBundle] }).at(-1), [
      'product_id',
      'needed',
      null,
    ]);
  });

  test('with a fixed product loses the amount, which Version 1 ignored', () => {
    assert.deepEqual(effects({ productId: '11' }, { product: oldBundle })[2], ['amount', 'dropped', null]);
    assert.deepEqual(effects({ productId: '11' })[2], ['amount', 'needed', null]);
  });

  test('with an open product is paid by its amount alone', () => {
    assert.deepEqual(effects({ productId: '12' }, { product: { ...oldBundle, amount: null } }), [
      number,
      network,
      currency,
      ['product_id', 'dropped', null],
    ]);
  });

  test('needs an amount if it has neither amount nor product', () => {
    assert.deepEqual(effects({ amount: null })[2], ['amount', 'needed', null]);
  });

  test('needs its amount as a plain number, and says so', () => {
    for (const amount of ['ten', 'KES 1,000.00', '5,000']) {
      const note = migrateRow({ ...row, amount }, facts).find(({ field }) => field === 'amount');
      assert.deepEqual([note?.effect, note?.from], ['needed', amount]);
      assert.match(note?.why ?? '', /^is no plain number: /);
    }
  });

  test('needs a text for its SMS, and a reference that is not too long', () => {
    assert.deepEqual(effects({ sendSMS: 'true' }).at(-1), ['sms_message', 'needed', null]);
    assert.deepEqual(effects({ sendSMS: 'false' }).length, 3);
    assert.deepEqual(effects({ extRefId: 'x'.repeat(81) }).at(-1), ['reference', 'needed', null]);
  });

  test('loses its processing mode', () => {
    assert.deepEqual(effects({ processingMode: 'ASYNC' }).at(-1), ['processing', 'dropped', null]);
  });
});
