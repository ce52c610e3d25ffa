import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { readColumn } from '../../src/ledger/drivers/read.ts';
import { runHere } from '../support/command.ts';
import { folderOf } from '../support/folder.ts';
import { changeLedgerIn, openLedgerIn } from '../support/folder-ledger.ts';
import { httpServer } from '../support/http-server.ts';
import { s3Server } from '../support/s3-server.ts';

/** A folder with a small payroll, paid at the embedded sandbox by `run`. */
function place(t: TestContext, anchors: unknown[]) {
  const folder = folderOf(t);
  const config = { anchors };
  writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify(config));
  const line = '+254712101000,1,10,KES,e-1';
  writeFileSync(join(folder, 'payroll.csv'), `phone_number,network_id,amount,currency,reference\n${line}\n`);
  const run = (...args: string[]) =>
    runHere(args, {
      cwd: folder,
      env: { ANCHOR_TOKEN: 'canary-token', HEADS_ID: 'AKIATEST', HEADS_KEY: 'the-secret-key-of-the-store' },
    });
  const pay = async () => {
    const result = await run('--json', 'run', 'payroll.csv', '--yes');
    assert.ok([0, 4].includes(result.code ?? -1), result.stderr);
    return { ...result, dir: (JSON.parse(result.stdout) as { reports: { dir: string } }).reports.dir };
  };
  return { folder, run, pay };
}

/** A server that answers every request as `answer` says. */
async function serverWith(
  t: TestContext,
  answer: (request: IncomingMessage, body: Buffer) => { status: number; body?: Buffer },
) {
  const { url } = await httpServer(t, (request, sent, response) => {
    const { status, body } = answer(request, sent);
    response.writeHead(status).end(body);
  });
  return url;
}

const anchorsOf = (dir: string) =>
  JSON.parse(readFileSync(join(dir, 'anchors.json'), 'utf8')) as {
    place: string;
    head: string;
    receipt: string | null;
  }[];

describe('an anchor file', () => {
  test('has the head of each finished batch, and shows that the end of a chain was cut off', async (t) => {
    const { folder, run, pay } = place(t, [{ kind: 'file', path: 'elsewhere/heads.jsonl' }]);
    const { dir } = await pay();
    const heads = join(folder, 'elsewhere/heads.jsonl');
    const [line = ''] = readFileSync(heads, 'utf8').trim().split('\n');
    assert.equal(JSON.parse(line).head, anchorsOf(dir)[0]?.head);
    const whole = await run('verify', dir, '--anchor', heads);
    assert.equal(whole.code, 0, whole.stdout);
    assert.match(whole.stdout, /every anchored head/);

    // Somebody with the ledger and the key takes the last events away, and has the reports made anew.
    await changeLedgerIn(
      folder,
      'DELETE FROM events WHERE seq > (SELECT MAX(seq) FROM events) - 3',
      'UPDATE batches SET audit_seq = audit_seq - 3, audit_head = (SELECT hash FROM events ORDER BY seq DESC LIMIT 1)',
    );
    const batch = dir.split('/').at(-1) ?? '';
    const report = await run('report', batch);
    assert.equal(report.code, 5);
    assert.match(report.stdout, /Its audit chain is broken: event \d+, which is anchored \(file .*\), is missing\./);
    const cut = await run('verify', dir, '--anchor', heads);
    assert.equal(cut.code, 4);
    assert.match(cut.stdout, /was cut short, or is of an older version: \d+ events were anchored/);
  });

  test('has the head of every version that "report" publishes, so that each version is proven', async (t) => {
    const { folder, run, pay } = place(t, []);
    const { dir } = await pay();
    const file = [{ kind: 'file', path: 'heads.jsonl' }];
    writeFileSync(join(folder, 'airbatch.config.json'), JSON.stringify({ anchors: file }));
    const batch = dir.split('/').at(-1) ?? '';
    assert.equal((await run('report', batch)).code, 0);
    const lines = () => readFileSync(join(folder, 'heads.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual([lines().length, JSON.parse(lines()[0] ?? '').batch_id], [1, batch]);
    const proven = await run('verify', dir, '--anchor', 'heads.jsonl');
    assert.equal(proven.code, 0, proven.stdout);
    assert.equal((await run('report', batch, '--out', 'again')).code, 0);
    assert.equal(lines().length, 1);
  });

  test('without the batch proves nothing, and the result says so', async (t) => {
    const { folder, run, pay } = place(t, []);
    const { dir } = await pay();
    assert.equal(existsSync(join(dir, 'anchors.json')), false);
    writeFileSync(join(folder, 'heads.jsonl'), '');
    const result = await run('verify', dir, '--anchor', 'heads.jsonl');
    assert.equal(result.code, 4);
    assert.match(result.stdout, /was never anchored in the given file/);
  });
});

describe('an anchor bucket', () => {
  test('has each head as an object that nobody replaces, and shows what the ledger no longer has', async (t) => {
    const server = await s3Server(t);
    const { endpoint, bucket } = server.bucket;
    const keys = { accessKeyIdEnv: 'HEADS_ID', secretAccessKeyEnv: 'HEADS_KEY' };
    const { folder, run, pay } = place(t, [{ kind: 's3', endpoint, bucket, prefix: 'audit', ...keys }]);
    server.before = () => 503;
    const { dir, stderr } = await pay();
    assert.match(stderr, /could not be anchored.*s3:\/\/payouts\/audit/);
    server.before = () => undefined;
    const batch = dir.split('/').at(-1) ?? '';
    assert.equal((await run('report', batch)).code, 0);
    const [[key, object] = [], ...others] = server.objects;
    assert.ok(key?.startsWith(`audit/heads/${batch}/`) && object);
    assert.equal(others.length, 0);
    writeFileSync(join(folder, 'heads.jsonl'), object.body);
    const proven = await run('verify', dir, '--anchor', 'heads.jsonl');
    assert.equal(proven.code, 0, proven.stdout);
    assert.match(proven.stdout, /every anchored head/);

    const ledger = await openLedgerIn(folder);
    t.after(() => ledger.close());
    assert.deepEqual(await readColumn(ledger, 'SELECT place FROM anchors'), ['s3://payouts/audit']);
    const audit = async () => {
      const { code, stdout, stderr } = await run('audit');
      return { code, text: stdout + stderr };
    };
    assert.equal((await audit()).code, 0);

    server.objects.set(`${key}.json`, { body: Buffer.from('{}'), at: new Date() });
    // Somebody deletes the whole batch, and every trace of it in the ledger.
    for (const table of ['anchors', 'events', 'batches']) await ledger.execute(`DELETE FROM ${table}`);
    const deleted = await audit();
    assert.equal(deleted.code, 5);
    assert.match(deleted.text, /missing from the ledger, but its head is anchored \(s3:\/\/payouts\/audit\)/);
    assert.match(deleted.text, /s3:\/\/payouts\/audit\/heads\/.*\.json\.json is no head of a chain/);

    server.objects.clear();
    await ledger.execute(`INSERT INTO anchors VALUES ('gone', 's3://payouts/audit', 1, 'head', 1, NULL)`);
    assert.match((await audit()).text, /the heads that were stored there are missing/);
  });

  test('is not taken for another of the same name in another store', async (t) => {
    const of = (host: string) => ({ kind: 's3', endpoint: `https://${host}.example`, bucket: 'heads' });
    const { run } = place(t, [of('one'), of('two')]);
    const { code, stderr } = await run('status');
    assert.deepEqual([code, /anchors\.1\.bucket is the same place as anchors\.0:/.test(stderr)], [2, true], stderr);
  });
});

describe('an anchor address', () => {
  test('receives each head once, with its token; if it fails, the next batch sends both', async (t) => {
    const heads: string[] = [];
    let status = 503;
    const url = await serverWith(t, ({ headers }, body) => {
      assert.equal(headers.authorization, 'Bearer canary-token');
      if (status === 200) heads.push(JSON.parse(body.toString()).batch_id);
      return { status };
    });
    const { folder, pay } = place(t, [{ kind: 'url', url, tokenEnv: 'ANCHOR_TOKEN' }]);
    const first = await pay();
    assert.match(first.stderr, /could not be anchored/);
    assert.doesNotMatch(first.stderr, /canary-token/);
    status = 200;
    writeFileSync(
      join(folder, 'payroll.csv'),
      readFileSync(join(folder, 'payroll.csv'), 'utf8').replace('101000', '101001'),
    );
    const second = await pay();
    assert.deepEqual(
      heads,
      [first, second].map(({ dir }) => dir.split('/').at(-1)),
    );
    assert.equal(anchorsOf(second.dir).length, 1);
  });
});

describe('a secret in the address of an anchor', () => {
  test('is sent there, and is in no ledger, report or log', async (t) => {
    const asked: (string | undefined)[] = [];
    let status = 503;
    const url = await serverWith(t, (request) => {
      asked.push(request.url);
      return { status };
    });
    const { folder, run, pay } = place(t, [
      { kind: 'url', url: `${url.replace('//', '//user:canary-word@')}/heads?key=canary-key` },
    ]);
    const { stderr, dir } = await pay();
    assert.match(stderr, /could not be anchored/);
    assert.doesNotMatch(stderr, /canary/);
    status = 200;
    writeFileSync(
      join(folder, 'payroll.csv'),
      readFileSync(join(folder, 'payroll.csv'), 'utf8').replace('101000', '101001'),
    );
    await pay();
    assert.deepEqual(
      asked,
      Array.from({ length: 3 }, () => '/heads?key=canary-key'),
    );
    assert.equal((await run('report', dir.split('/').at(-1) ?? '', '--out', 'again')).code, 0);
    const [anchor] = anchorsOf(join(folder, 'again', dir.split('/').at(-1) ?? ''));
    assert.equal(anchor?.place, `url ${url}/heads`);
    const db = await openLedgerIn(folder);
    t.after(() => db.close());
    assert.deepEqual(await readColumn(db, 'SELECT DISTINCT place FROM anchors'), [`url ${url}/heads`]);
  });

  test('does not make two anchors different', async (t) => {
    const of = (kind: string, key: string) => ({ kind, url: `https://anchors.example/heads?key=${key}` });
    const { run } = place(t, [of('url', 'a'), of('rfc3161', 'a'), of('url', 'b')]);
    const { code, stderr } = await run('status');
    assert.deepEqual([code, /anchors\.2\.url is the same place as anchors\.0:/.test(stderr)], [2, true], stderr);
    assert.doesNotMatch(stderr, /key=/);
  });
});

const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

describe('a time-stamping authority', { skip: hasOpenssl ? false : 'openssl is not installed here' }, () => {
  /** An authority of openssl: its certificate, and the server that answers with it. */
  async function authority(t: TestContext) {
    const folder = folderOf(t);
    const at = (name: string) => join(folder, name);
    mkdirSync(at('db'));
    writeFileSync(at('serial'), '01\n');
    writeFileSync(
      at('tsa.cnf'),
      [
        '[req]\ndistinguished_name = dn\nx509_extensions = ext\nprompt = no\n[dn]\nCN = A test authority',
        '[ext]\nextendedKeyUsage = critical,timeStamping\nbasicConstraints = CA:FALSE\nkeyUsage = digitalSignature',
        `[tsa]\ndefault_tsa = one\n[one]\nserial = ${at('serial')}\nsigner_cert = ${at('cert.pem')}\nsigner_key = ${at('key.pem')}`,
        'signer_digest = sha256\ndefault_policy = 1.2.3.4\ndigests = sha256\naccuracy = secs:1\ness_cert_id_chain = no\n',
      ].join('\n'),
    );
    const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    openssl(
      'req',
      '-x509',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-days',
      '2',
      '-config',
      at('tsa.cnf'),
      '-keyout',
      at('key.pem'),
      '-out',
      at('cert.pem'),
    );
    const url = await serverWith(t, ({ headers }, body) => {
      assert.equal(headers['content-type'], 'application/timestamp-query');
      writeFileSync(at('query.tsq'), body);
      openssl('ts', '-reply', '-config', at('tsa.cnf'), '-queryfile', at('query.tsq'), '-out', at('answer.tsr'));
      return { status: 200, body: readFileSync(at('answer.tsr')) };
    });
    return { url, openssl, at };
  }

  test('gives a receipt for the head that openssl verifies, and for no other digest', async (t) => {
    const { url, openssl, at } = await authority(t);
    const { pay, run } = place(t, [{ kind: 'rfc3161', url }]);
    const { dir } = await pay();
    const [anchor] = anchorsOf(dir);
    writeFileSync(at('receipt.tsr'), Buffer.from(anchor?.receipt ?? '', 'base64'));
    const verify = (digest: string) =>
      openssl(
        'ts',
        '-verify',
        '-digest',
        digest,
        '-in',
        at('receipt.tsr'),
        '-CAfile',
        at('cert.pem'),
        '-partial_chain',
      );
    verify(anchor?.head ?? '');
    assert.throws(() => verify('0'.repeat(64)));
    assert.equal((await run('verify', dir)).code, 0);
  });

  test('that grants nothing is asked again later', async (t) => {
    const url = await serverWith(t, () => ({ status: 200, body: Buffer.from('no') }));
    const { pay } = place(t, [{ kind: 'rfc3161', url }]);
    const { dir, stderr } = await pay();
    assert.match(stderr, /granted no time-stamp/);
    assert.equal(existsSync(join(dir, 'anchors.json')), false);
  });
});
