import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { shownLedgerUrl } from '../../../src/ledger/drivers/postgres/ledger-url.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { chooseLedger } from '../../../src/runtime/settings/ledger-place.ts';
import { folderOf } from '../../support/folder.ts';

const url = 'postgres://ann:hunter2%40@db.example.com:5433/pay?sslmode=verify-full';
const other = 'postgres://db.example.org/pay?sslmode=require';

async function load(t: TestContext, ledger?: unknown, env: Record<string, string> = {}) {
  const folder = folderOf(t);
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ ledger }));
  const config = await loadConfig({ cwd: folder, env });
  return { ...config, ledger: config.ledger.replace(`${folder}/`, '') };
}

describe('the place of the ledger', () => {
  for (const [name, given, env, expected] of [
    ['is a file in .airbatch', undefined, {}, ['.airbatch/ledger.db', null]],
    ['is the file of the configuration', 'pay/ledger.db', {}, ['pay/ledger.db', null]],
    ['is the URL of the configuration; keys and uploads stay in .airbatch', { url }, {}, ['.airbatch/ledger.db', url]],
    ['is the URL of the environment', undefined, { AIRBATCH_LEDGER_URL: url }, ['.airbatch/ledger.db', url]],
    ['is the same URL in both', { url }, { AIRBATCH_LEDGER_URL: url }, ['.airbatch/ledger.db', url]],
  ] as const)
    test(name, async (t) => {
      const { ledger, ledgerUrl } = await load(t, given, env);
      assert.deepEqual([ledger, ledgerUrl], expected);
    });

  test('is what --ledger names, a file or a URL, whatever else is configured', () => {
    const place = { ledger: '/pay/.airbatch/ledger.db', ledgerUrl: url };
    const chosen = (given: string | undefined) => chooseLedger(place, { cwd: '/pay', ledgerPath: given });
    assert.deepEqual(chosen(undefined), place);
    assert.deepEqual(chosen('old.db'), { ledger: '/pay/old.db', ledgerUrl: null });
    assert.deepEqual(chosen(other), { ...place, ledgerUrl: other });
    assert.throws(() => chosen('postgres://db.example.org'), { code: 'CONFIG_INVALID' });
  });

  for (const [name, given] of [
    ['the configuration names a file and the environment a URL', 'pay/ledger.db'],
    ['the configuration names one URL and the environment another', { url: other }],
  ] as const)
    test(`is refused where ${name}`, async (t) => {
      await assert.rejects(load(t, given, { AIRBATCH_LEDGER_URL: url }), {
        code: 'CONFIG_INVALID',
        message: /"ledger" names one ledger, and the environment variable AIRBATCH_LEDGER_URL another/,
      });
    });

  for (const [wrong, message] of [
    ['mysql://ann:hunter2@127.0.0.1/pay', /must begin with postgres:/],
    ['postgres://ann:hunter2@127.0.0.1:port/pay', /is not a URL/],
    ['postgres://ann:hunter2%@127.0.0.1/pay', /has a wrong percent escape/],
    ['postgres://hunter2%ff@127.0.0.1/pay', /has a wrong percent escape/],
    ['postgres://ann:hunter2@127.0.0.1', /must end with the name of a database/],
    ['postgres://ann:hun/ter2@127.0.0.1/pay', /is not a URL|must end with the name of a database/],
    ['postgres://ann:1/hunter2@127.0.0.1/pay', /must end with the name of a database/],
    ['postgres://ann:hunter2@db.example.com/pay', /must say how the connection is encrypted/],
    ['postgres://ann:hunter2@127.0.0.1/pay?sslmode=verify-ca', /add sslrootcert=FILE/],
    ['postgres://ann:hunter2@127.0.0.1/pay?sslmode=prefer', /must have one of these as its sslmode/],
    ['postgres:///pay', /must name the host, such as localhost/],
    ['postgres:///pay?host=db.example.com', /must name the host before the database/],
    ['postgres://ann:hunter2@localhost/pay?host=db.example.com', /must name the host before the database/],
    ['postgres://ann:hunter2@localhost/pay?%68ostaddr=10.0.0.9', /must name the host before the database/],
    ['postgres://ann:hunter2@db.example.com/pay?sslmode=verify-full&host=', /must name the host before the database/],
    ['postgres://ann:hunter2@db.example.com/pay?sslmode=verify-full&sslmode=disable', /must have no parameter twice/],
    ['postgres://ann:hunter2@db.example.com/pay?sslmode=verify-full&ssl=false', /must not have the parameter "ssl"/],
  ] as const)
    test(`is no wrong URL, and the error does not repeat it: ${wrong}`, async (t) => {
      for (const wrongly of [load(t, { url: wrong }), load(t, undefined, { AIRBATCH_LEDGER_URL: wrong })])
        await assert.rejects(wrongly, (error: Error) => {
          assert.match(error.message, message);
          assert.doesNotMatch(JSON.stringify([error, error.message, error.stack, error.cause]), /hunter2|ter2@/);
          return true;
        });
    });

  for (const local of [
    'postgres:///pay?host=/var/run/postgresql',
    'postgres://ann@localhost/pay?host=%2Fvar%2Frun%2Fpostgresql',
    'postgres://%2Fvar%2Frun%2Fpostgresql/pay?sslmode=disable',
  ])
    test(`is a database behind a Unix socket: ${local}`, async (t) => {
      assert.equal((await load(t, { url: local })).ledgerUrl, local);
    });

  for (const wrong of ['', url, { file: 'ledger.db' }, { url, path: 'ledger.db' }, 7])
    test(`is neither a file nor a URL, and refused: ${JSON.stringify(wrong)}`, async (t) => {
      await assert.rejects(load(t, wrong), (error: Error) => {
        assert.match(error.message, /ledger (must|is a URL)/);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      });
    });

  test('is shown without user and password, which are secrets of the log', async (t) => {
    assert.equal(shownLedgerUrl(url), 'postgres://db.example.com:5433/pay');
    const { secrets } = await load(t, { url });
    for (const secret of ['hunter2%40', 'hunter2@']) assert.ok(secrets.includes(secret));
  });
});
