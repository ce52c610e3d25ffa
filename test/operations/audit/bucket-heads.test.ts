import assert from 'node:assert/strict';
import { test } from 'node:test';
import { headsInBucket } from '../../../src/operations/audit/bucket-heads.ts';
import { putHead } from '../../../src/runtime/upkeep/bucket-anchors.ts';
import { s3Server } from '../../support/s3-server.ts';

const signal = new AbortController().signal;
const headOf = (digit: string) => ({ batch_id: 'B-1', events: 7, head: digit.repeat(64) });
const lineOf = (head: object, at: string) => `${JSON.stringify({ at, account: 'a', ...head })}\n`;

test('a head that is stored again keeps its first object, and another head of as many events is read as well', async (t) => {
  const { bucket, objects } = await s3Server(t);
  const [one, other] = [headOf('a'), headOf('b')];
  await putHead(bucket, one, lineOf(one, 'first'), signal);
  const [first] = [...objects.values()];
  await putHead(bucket, one, lineOf(one, 'again'), signal);
  assert.deepEqual([...objects.values()], [first]);
  await putHead(bucket, other, lineOf(other, 'first'), signal);
  const read: object[] = [];
  for (const batch of ['B-1', 'B-2']) for await (const head of headsInBucket(bucket, batch)) read.push(head);
  assert.deepEqual(read, [one, other]);
});

test('an object that was changed is named when its head is stored again, and hides no other head', async (t) => {
  const { bucket, objects } = await s3Server(t);
  const [one, other] = [headOf('a'), headOf('b')];
  for (const head of [one, other]) await putHead(bucket, head, lineOf(head, 'first'), signal);
  const [key = ''] = objects.keys();
  objects.set(key, { body: Buffer.from(lineOf(other, 'changed')), at: new Date() });
  await assert.rejects(putHead(bucket, one, lineOf(one, 'again'), signal), /is not the head that belongs there/);
  objects.set(key, { body: Buffer.from('cut'), at: new Date() });
  const read: object[] = [];
  const reading = async () => {
    for await (const head of headsInBucket(bucket, null)) read.push(head);
  };
  await assert.rejects(reading(), /heads\/B-1\/7-aaaaaaaaaaaaaaaa\.json is no head of a chain/);
  assert.deepEqual(read, [other]);
});
