import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fastify from 'fastify';
import { addConsole } from '../../../src/server/api/console-files.ts';
import { folderOf } from '../../support/folder.ts';

/** A server of a console with one page and one file. */
function serving(t: TestContext) {
  const folder = folderOf(t);
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'assets/main-1.js'), 'text');
  writeFileSync(join(folder, 'assets/main-1.js.gz'), gzipSync('text'));
  const app = fastify();
  addConsole(app, folder);
  t.after(() => app.close());
  return (url: string, headers = {}) => app.inject({ url, headers });
}

describe('the console’s files', () => {
  test('the page is at every address that is neither a file nor part of the API', async (t) => {
    const get = serving(t);
    for (const url of ['/', '/batches/B-1', '/batches/B-1?tab=rows']) {
      const { statusCode, body, headers } = await get(url);
      assert.deepEqual([statusCode, body], [200, '<!doctype html>'], url);
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'$/);
    }
    for (const url of [
      '/api/v1/nothing',
      '/api/nothing',
      '/favicon.ico',
      '/assets/other.js',
      '/assets/..%2findex.html',
    ])
      assert.equal((await get(url)).statusCode >= 400, true, url);
  });

  test('files are compressed for clients that accept it, and cached by browsers permanently', async (t) => {
    const get = serving(t);
    const { headers } = await get('/assets/main-1.js', { 'accept-encoding': 'gzip' });
    assert.equal(headers['content-encoding'], 'gzip');
    assert.match(String(headers['cache-control']), /immutable/);
    const plain = await get('/assets/main-1.js');
    assert.deepEqual([plain.body, plain.headers['content-encoding']], ['text', undefined]);
  });

  test('there are none if no console is built', async (t) => {
    const app = fastify();
    t.after(() => app.close());
    addConsole(app, folderOf(t));
    assert.equal((await app.inject({ url: '/' })).statusCode, 404);
  });
});
