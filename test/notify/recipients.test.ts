import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newsKinds, type RecipientInput, recipientShape, resolveRecipient } from '../../src/notify/recipients.ts';

const idOf = (url: string) => {
  const given: RecipientInput = { kind: 'webhook', url, secretEnv: 'HOOK_SECRET', on: [...newsKinds] };
  return resolveRecipient(given, () => ({ value: 'whsec_' })).id;
};

test('the name of a recipient in the ledger and in logs has no secret part of its address, and is unique', () => {
  assert.equal(idOf('https://hooks.example.com/pay'), 'webhook https://hooks.example.com/pay');
  const ids = [
    'https://hooks.example.com/pay?token=canary-1',
    'https://hooks.example.com/pay?token=canary-2',
    'https://canary-3:canary-4@hooks.example.com/pay#canary-5',
  ].map(idOf);
  for (const id of ids) assert.match(id, /^webhook https:\/\/hooks\.example\.com\/pay \([0-9a-f]{6}\)$/);
  assert.equal(new Set(ids).size, 3);
});

test('a configuration may name a kind of news as earlier versions did', () => {
  const chat = { kind: 'chat', name: 'ops', urlEnv: 'URL' };
  assert.deepEqual(recipientShape.parse({ ...chat, on: ['told_to_wait', 'late'] }).on, ['throttled', 'late']);
});
