import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { runCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';
import { httpServer } from '../support/http-server.ts';

test('serve that cannot open its ledger notifies people once, however often it is started, and ends with its exit code', async (t) => {
  const told: { id: unknown; type: string; text: string }[] = [];
  const chat = await httpServer(t, (request, body, response) => {
    const { type, data } = JSON.parse(body.toString());
    told.push({ id: request.headers['webhook-id'], type, text: data.text });
    response.end();
  });
  const cwd = folderOf(t);
  const url = `${chat.url}/`;
  const notifications = [{ kind: 'webhook', url, secretEnv: 'HOOK_SECRET', on: ['standstill'] }];
  writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ notifications }));
  const env = { HOOK_SECRET: `whsec_${Buffer.alloc(24, 1).toString('base64')}` };
  await makeLedgerIn(cwd);
  const ledger = new DatabaseSync(join(cwd, '.airbatch/ledger.db'));
  ledger.exec('INSERT INTO migrations (version) VALUES (9999)');
  ledger.close();
  for (let start = 0; start < 2; start++) {
    const { code, stderr } = await runCommand(['serve', '--port', '0'], { cwd, env });
    assert.equal(code, 6, stderr);
    assert.match(stderr, /\[LEDGER_VERSION\]/);
  }
  assert.equal(told.length, 1);
  assert.equal(told[0]?.type, 'standstill');
  assert.match(told[0]?.text ?? '', /^airbatch serve could not start: /);
  assert.match(String(told[0]?.id), /^standstill:LEDGER_VERSION:\d{4}-\d\d-\d\d$/);
});
