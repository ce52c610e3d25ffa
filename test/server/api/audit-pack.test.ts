import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unzipped } from '../../support/unzip.ts';
import { api } from './api-fixture.ts';

const path = '/api/v1/batches/B-default/audit-pack';

describe('export-audit-pack over HTTP', () => {
  test('sends a zip file; whoever only audits gets the masked one, and no other', async (t) => {
    const { server, send, makeKey, admin } = await api(t);
    const missing = await send('GET', path);
    assert.deepEqual([missing.status, missing.body.code], [409, 'BATCH_STATE']);
    await send('POST', '/api/v1/batches/B-default/reports', { body: {} });
    await send('POST', '/api/v1/batches/B-default/reports', { body: { mask: true }, once: 'once-2' });
    const get = async (key: string, url = path) => {
      const { statusCode, headers, rawPayload } = await server.inject({
        ...{ method: 'GET', url, headers: { authorization: `Bearer ${key}` } },
      });
      return { statusCode, type: headers['content-type'], name: headers['content-disposition'], rawPayload };
    };
    const whole = await get(admin);
    assert.deepEqual([whole.statusCode, whole.type], [200, 'application/zip']);
    assert.match(String(whole.name), /B-default-audit-pack\.zip$/);
    assert.ok(unzipped(whole.rawPayload).has('reports/manifest.json'));
    const auditor = await makeKey('auditor', ['audit']);
    const masked = await get(auditor);
    assert.match(String(masked.name), /B-default-audit-pack-masked\.zip$/);
    const manifest = unzipped(masked.rawPayload).get('reports/manifest.json')?.toString() ?? '{}';
    assert.equal(JSON.parse(manifest).masked, true);
    const refused = await send('GET', `${path}?mask=false`, { key: auditor });
    assert.deepEqual([refused.status, refused.body.code], [403, 'ROLE_MISSING']);
  });

  test('the log of access keeps who has got the one with whole numbers', async (t) => {
    const { server, send, admin } = await api(t);
    await send('POST', '/api/v1/batches/B-default/reports', { body: {} });
    await server.inject({ method: 'GET', url: path, headers: { authorization: `Bearer ${admin}` } });
    const [event] = (await send('GET', '/api/v1/access-events')).body.events;
    assert.deepEqual([event.kind, event.actor], ['report.read', 'all']);
    assert.deepEqual([JSON.parse(event.body).batch_id, JSON.parse(event.body).file], ['B-default', 'audit pack']);
  });
});
