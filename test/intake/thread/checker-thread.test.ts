import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { AirbatchError } from '../../../src/core/basics/errors.ts';
import { type CheckedFile, type CheckOptions, checkFile } from '../../../src/intake/check/check-file.ts';
import { intakeSettings } from '../../../src/intake/columns/settings.ts';
import { openSource } from '../../../src/intake/file/source.ts';
import type { FileRow } from '../../../src/intake/rows/file-rows.ts';
import type { Catalog } from '../../../src/intake/rows/network-catalog.ts';
import { type PackedRows, unpackRows } from '../../../src/intake/rows/packed-rows.ts';
import { checkInThread, checkSource } from '../../../src/intake/thread/checker-thread.ts';
import { folderOf } from '../../support/folder.ts';
import { csv, goodRow, rowOfMany, testCatalog } from '../support.ts';

const path = join(folderOf({ after }), 'payroll.csv');

type Check = (options: CheckOptions) => Promise<CheckedFile>;
type Given = Partial<Omit<CheckOptions, 'source' | 'settings'>> & { settings?: Record<string, unknown> };

interface Outcome {
  whole: Omit<CheckedFile, 'rows' | 'dispose'>;
  stored: FileRow[];
  rows: FileRow[];
}

/** Checks a file of this content, and gives back all that comes of it. */
async function outcome(check: Check, content: string, { settings, ...given }: Given = {}): Promise<Outcome> {
  writeFileSync(path, content);
  const source = await openSource({ file: path, fileBytesMax: 2 ** 30 });
  const stored: FileRow[] = [];
  const file = await check({
    source,
    settings: intakeSettings(settings),
    catalog: null,
    needsNames: false,
    onProgress: undefined,
    signal: undefined,
    onChecked: async (block) => {
      for (const some of block) stored.push(...unpackRows(some));
    },
    ...given,
  });
  try {
    const rows: FileRow[] = [];
    for await (const some of file.rows(700)) rows.push(...some);
    const { rows: _, dispose: __, ...whole } = file;
    return { whole, stored, rows };
  } finally {
    await file.dispose();
    source.dispose();
  }
}

const rowCount = 12_000;
const many = Array.from({ length: rowCount }, (_, index) => rowOfMany(index));

describe('a file that is read in a thread', () => {
  test('gives the same as one that is read in the main thread', async () => {
    const rows: Record<string, string>[] = many.map((row, index) => ({ ...row, employee: `Zoë "${index}", 李` }));
    rows[7] = { ...rowOfMany(9), reference: 'R-again', employee: '' };
    rows[5_000] = { ...rowOfMany(5_000), reference: 'R-1', employee: '' };
    rows[11_000] = { ...rowOfMany(11_000), amount: '1.234', phone_number: '12', employee: '' };
    const [inThread, inPlace] = [await outcome(checkInThread, csv(rows)), await outcome(checkFile, csv(rows))];
    assert.deepEqual(inThread, inPlace);
    assert.equal(inThread.stored.length, rowCount);
    assert.equal(inThread.whole.hasShared, true);
    assert.notDeepEqual(inThread.rows, inThread.stored);
  });

  test('asks the catalog through the main thread', async () => {
    const asked: string[] = [];
    const catalog: Catalog = {
      networks: async (country) => {
        asked.push(country);
        return testCatalog.networks(country);
      },
      products: async (networkId) => {
        asked.push(String(networkId));
        return testCatalog.products(networkId);
      },
    };
    const rows = [
      goodRow({ network_id: 'Safaricom', product_id: '' }),
      goodRow({ phone_number: '+256772123456', network_id: '77', currency: 'UGX', product_id: '' }),
      goodRow({ amount: '', currency: '', product_id: '102' }),
    ];
    const inThread = await outcome(checkInThread, csv(rows), { catalog });
    assert.deepEqual(asked, ['KE', 'UG', '1']);
    assert.deepEqual(inThread, await outcome(checkFile, csv(rows), { catalog: testCatalog }));
    const silent: Catalog = { networks: async () => null, products: async () => null };
    const unanswered = await outcome(checkInThread, csv(rows), { catalog: silent });
    assert.match(unanswered.whole.about.warnings[0] ?? '', /did not give its list of networks/);
  });

  test('ends before its rows are handed on if a needed name cannot be looked up', async () => {
    const silent: Catalog = { networks: async () => null, products: async () => null };
    const rows = many.map((row, index) => (index === 5_000 ? { ...row, network_id: 'Safaricom Kenya' } : row));
    for (const check of [checkInThread, checkFile]) {
      let stored = 0;
      const onChecked = async (block: readonly PackedRows[]) => {
        for (const some of block) stored += unpackRows(some).length;
      };
      const reading = outcome(check, csv(rows), { catalog: silent, needsNames: true, onChecked });
      await assert.rejects(reading, {
        code: 'SERVICE_UNREACHABLE',
        message: 'the networks that payroll.csv names could not be looked up',
      });
      assert.ok(stored <= 5_000, `${stored} rows`);
    }
  });

  test('is refused with the same message, code and hint', async () => {
    const settings = { guards: { expectedRows: 5 } };
    for (const content of [csv(many), 'phone_number,amount\n', csv([goodRow()]).replace('KES\n', '"KES\n')]) {
      const errors = [];
      for (const check of [checkInThread, checkFile]) {
        const refusal = await outcome(check, content, { settings }).catch((error: unknown) => error);
        assert.ok(refusal instanceof AirbatchError, String(refusal));
        errors.push({ code: refusal.code, message: refusal.message, hint: refusal.hint, exitCode: refusal.exitCode });
      }
      assert.equal(errors[0]?.code, 'FILE_REJECTED');
      assert.deepEqual(errors[0], errors[1]);
    }
  });

  test('is refused if it changes between its two readings', async () => {
    const changed: Check = async (options) => {
      const { place } = options.source;
      assert.ok(place && 'path' in place);
      writeFileSync(place.path, csv(many.slice(1)));
      return checkInThread(options);
    };
    await assert.rejects(outcome(changed, csv(many)), { code: 'FILE_REJECTED', message: /changed while/ });
  });

  test('ends with the error of storing its rows, or of the catalog', async () => {
    const full = new AirbatchError('LEDGER_FULL', 'no room');
    const onChecked = () => Promise.reject(full);
    await assert.rejects(outcome(checkInThread, csv(many), { onChecked }), full);
    const refused = new AirbatchError('CREDENTIALS_REJECTED', 'not this key');
    const catalog: Catalog = { ...testCatalog, networks: () => Promise.reject(refused) };
    await assert.rejects(outcome(checkInThread, csv(many), { catalog }), refused);
  });

  test('is closed when the reader gives up, before and in the middle of it', async () => {
    const reason = new Error('enough');
    await assert.rejects(outcome(checkInThread, csv(many), { signal: AbortSignal.abort(reason) }), reason);
    const stopped = new AbortController();
    let blocks = 0;
    const onChecked = async () => {
      blocks += 1;
      stopped.abort(reason);
    };
    await assert.rejects(outcome(checkInThread, csv(many), { signal: stopped.signal, onChecked }), reason);
    assert.equal(blocks, 1);
  });

  test('is not read further while its rows wait to be stored', async () => {
    const content = csv(Array.from({ length: 40_000 }, (_, index) => rowOfMany(index)));
    const slow: Check = (options) => {
      let isFirst = true;
      const onChecked = async () => {
        if (!isFirst) return;
        isFirst = false;
        // Time enough to read all of it. Had it been read, nobody would see that its end is another one now.
        await new Promise((resolve) => setTimeout(resolve, 2_000));
        const { place } = options.source;
        assert.ok(place && 'path' in place);
        writeFileSync(place.path, content.replace('R-39999', 'R-other'));
      };
      return checkInThread({ ...options, onChecked });
    };
    await assert.rejects(outcome(slow, content), { code: 'FILE_REJECTED', message: /changed while/ });
  });
});

test('a small file is read in the main thread', async () => {
  // A thread goes by the place of the file, which is none here.
  const small: Check = (options) =>
    checkSource({ ...options, source: { ...options.source, place: { path: '/nowhere' } } });
  assert.equal((await outcome(small, csv(many.slice(0, 100)))).rows.length, 100);
  await assert.rejects(outcome(small, csv(Array.from({ length: 40_000 }, (_, index) => rowOfMany(index)))), {
    code: 'FILE_UNREADABLE',
  });
});
