import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { runCommand } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { makeLedgerIn } from '../support/folder-ledger.ts';

test('serve that cannot open its ledger notifies people once, however often it is started, and ends with its exit code', async (t) => {
  const told: { id: unknown; type: string; text: string }[] = [];
  const chat = createServer(async (request, response) => {
    const { type, data } = JSON.parse(await text(request));
    told.push({ id: request.headers['webhook-id'], type, text: data.text });
    response.end();
  });
  await new Promise<void>((resolve) => chat.listen(0, '127.0.0.1', resolve));
  t.after(() => chat.close());
  const cwd = folderOf(t);
  const url = `http://127.0.0.1:${(chat.address() as AddressInfo).port}/`;
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
