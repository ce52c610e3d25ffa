import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { api } from './api-fixture.ts';

describe('the files of reports over HTTP', () => {
  test('are listed by version, and each is sent unchanged', async (t) => {
    const { send } = await api(t);
    assert.deepEqual((await send('GET', '/api/v1/batches/B-default/report-files')).body.folders, []);
    await send('POST', '/api/v1/batches/B-default/reports', { body: {} });
    await send('POST', '/api/v1/batches/B-default/reports', { body: { mask: true }, once: 'once-2' });
    const { body } = await send('GET', '/api/v1/batches/B-default/report-files');
    const [whole, masked] = body.folders;
    assert.deepEqual([whole.is_masked, masked.is_masked, body.folders.length], [false, true, 2]);
    assert.ok(
      whole.files.some(({ name, bytes }: { name: string; bytes: number }) => name === 'results.csv' && bytes > 0),
    );
    for (const isMasked of [false, true]) {
      const file = await send('GET', `/api/v1/batches/B-default/report-files/manifest.json?masked=${isMasked}`);
      assert.deepEqual([file.status, file.body.batch_id, file.body.masked], [200, 'B-default', isMasked]);
      assert.equal(file.headers['content-disposition'], 'attachment; filename="manifest.json"');
    }
    const none = await send('GET', '/api/v1/batches/B-default/difference?version=2&masked=true');
    assert.deepEqual([none.status, none.body], [200, { lines: null, is_cut: false }]);
    for (const path of ['nothing.csv', '..%2F..%2Fledger.db', 'manifest.json?version=7'])
      assert.equal((await send('GET', `/api/v1/batches/B-default/report-files/${path}`)).status, 404, path);
  });

  test('show complete numbers to nobody who only audits, and the access log keeps who has seen them', async (t) => {
    const { send, makeKey } = await api(t);
    await send('POST', '/api/v1/batches/B-default/reports', { body: {} });
    await send('POST', '/api/v1/batches/B-default/reports', { body: { mask: true }, once: 'once-2' });
    const key = await makeKey('auditor', ['audit']);
    const path = '/api/v1/batches/B-default/report-files/summary.json';
    const refused = await send('GET', path, { key });
    assert.deepEqual([refused.status, refused.body.code], [403, 'ROLE_MISSING']);
    assert.equal((await send('GET', `${path}?masked=true`, { key })).status, 200);
    const reads = async () =>
      (await send('GET', '/api/v1/access-events')).body.events.filter(
        ({ kind }: { kind: string }) => kind === 'report.read',
      );
    assert.equal((await reads()).length, 0);
    assert.equal((await send('GET', path)).status, 200);
    const [read] = await reads();
    assert.deepEqual([read.actor, JSON.parse(read.body).file], ['all', 'summary.json']);
  });

  test('of another team’s account are not found', async (t) => {
    const { send, makeKey } = await api(t);
    await send('POST', '/api/v1/batches/B-other/reports', { body: { mask: true } });
    const key = await makeKey('team', ['prepare', 'audit'], { accounts: ['default'] });
    const { status } = await send('GET', '/api/v1/batches/B-other/report-files/summary.json?masked=true', { key });
    assert.equal(status, 404);
  });
});
