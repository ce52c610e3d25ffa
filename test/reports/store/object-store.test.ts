import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { openBucket } from '../../../src/reports/store/object-store.ts';
import { folderOf } from '../../support/folder.ts';
import { s3Server } from '../../support/s3-server.ts';

test('an object is stored once only if that is asked for, is listed over several pages, and is removed', async (t) => {
  const { bucket, objects } = await s3Server(t);
  const store = openBucket(bucket);
  assert.equal(store.place, 's3://payouts/reports');
  assert.equal(await store.putNew('a/1', 'one'), true);
  assert.equal(await store.putNew('a/1', 'two'), false);
  assert.equal((await store.readBytes('a/1'))?.toString(), 'one');
  assert.equal(await store.readBytes('a/2'), null);
  for (const key of ['a/2', 'a/3', 'a/4', 'b/1']) await store.putText(key, key);
  const found = await store.list('a/');
  assert.deepEqual(
    found.map(({ key, bytes }) => `${key} ${bytes}`),
    ['a/1 3', 'a/2 3', 'a/3 3', 'a/4 3'],
  );
  await store.remove('a/1');
  assert.equal(await store.readBytes('a/1'), null);
  assert.deepEqual([...objects.keys()].sort(), ['reports/a/2', 'reports/a/3', 'reports/a/4', 'reports/b/1']);
});

test('a file that is larger than a part is stored in several, and read back as it was', async (t) => {
  const { bucket, requests } = await s3Server(t);
  const store = openBucket(bucket);
  const path = join(folderOf(t), 'results.csv');
  const bytes = Buffer.alloc(16 * 2 ** 20 + 5, 'row\n');
  writeFileSync(path, bytes);
  await store.putFile('B-1/results.csv', path);
  assert.equal((await store.readBytes('B-1/results.csv'))?.equals(bytes), true);
  assert.equal(requests.filter((one) => one === 'PUT reports/B-1/results.csv').length, 2);
});

test('a store that refuses or does not answer is named with the reason, and without its keys, which may be replaced', async (t) => {
  const server = await s3Server(t);
  const accessKeyId = { value: 'AKIAWRONG' };
  const noKeys = { secretAccessKey: { value: 'another-secret' }, sessionToken: null };
  const wrong = { ...server.bucket, credentials: { ...noKeys, accessKeyId } };
  const store = openBucket(wrong);
  await assert.rejects(store.putText('a', 'text'), (error: Error & { code: string }) => {
    assert.equal(error.code, 'FOLDER_UNWRITABLE');
    assert.match(error.message, /^s3:\/\/payouts\/reports cannot be used: the store refuses: AccessDenied$/);
    return true;
  });
  accessKeyId.value = 'AKIATEST';
  await store.putText('a', 'text');
  server.close();
  await assert.rejects(openBucket(server.bucket).list('a'), /s3:\/\/payouts\/reports cannot be used: .*ECONNREFUSED/);
});

test('a store that gives no reason, as Ceph, or that is none, is shown with the status of its answer', async (t) => {
  const { bucket } = await s3Server(t);
  let [status, body] = [403, '<Error><Code>InvalidAccessKeyId</Code><RequestId>tx1</RequestId></Error>'];
  const server = createServer((_request, response) => void response.writeHead(status).end(body));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  const store = openBucket({ ...bucket, endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  await assert.rejects(
    store.list('a'),
    /s3:\/\/payouts\/reports cannot be used: InvalidAccessKeyId: it answered HTTP 403$/,
  );
  [status, body] = [400, ''];
  await assert.rejects(store.putText('a', 'text'), /cannot be used: it answered HTTP 400$/);
  [status, body] = [403, 'a proxy forbids it'];
  await assert.rejects(store.list('a'), /cannot be used: it answered HTTP 403$/);
  for (const page of ['<html><body>Welcome</body></html>', '', '{}']) {
    [status, body] = [200, page];
    await assert.rejects(store.list('a'), /s3:\/\/payouts\/reports cannot be used: /, page);
  }
  // An address that has the name of the bucket already: then it is taken for the key of an object.
  [status, body] = [404, '<Error><Code>NoSuchKey</Code></Error>'];
  await assert.rejects(store.list('a'), /cannot be used: its answer is not a list of objects$/);
});
