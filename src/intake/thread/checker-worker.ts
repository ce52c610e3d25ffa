import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../core/basics/assert.ts';
import { makeTextWriter } from '../../core/text/text-writer.ts';
import { type CheckedFile, checkFile } from '../check/check-file.ts';
import { sourceOf } from '../file/source.ts';
import type { Catalog } from '../rows/network-catalog.ts';
import { bytesPerRow, packRows } from '../rows/packed-rows.ts';
import { type CheckerTask, type FromChecker, plainError, type ToChecker } from './checker-messages.ts';
import { makeMailbox } from './mailbox.ts';

/*
 * The thread that reads and checks a file while the main thread stores its rows: see `checker-thread.ts`. It has no
 * access to the ledger or the service.
 */

/** Blocks of rows in flight: enough that neither thread waits for each step of the other, and 2 MiB at most. */
const blocksUnderWayMax = 4;

assert(parentPort, 'this file is the beginning of a thread');
const port = parentPort;
const { file, settings, hasCatalog, needsNames } = workerData as CheckerTask;

const ended = new AbortController();
const { signal } = ended;
const received = makeMailbox<ToChecker>();
port.on('message', (message: ToChecker) => {
  if (message.kind !== 'end') return received.put(message);
  ended.abort();
  received.fail(signal.reason);
});

const say = (message: FromChecker) => port.postMessage(message);
let blocksUnderWay = 0;

/** Waits for an answer of this kind. Meanwhile it counts messages about stored blocks. */
async function answer<Kind extends ToChecker['kind']>(kind: Kind): Promise<Extract<ToChecker, { kind: Kind }>> {
  for (;;) {
    const message = await received.take();
    if (message.kind === 'stored') blocksUnderWay -= 1;
    if (message.kind === kind) return message as Extract<ToChecker, { kind: Kind }>;
  }
}

const catalog: Catalog = {
  async networks(country) {
    say({ kind: 'networks', country });
    return (await answer('networks')).networks;
  },
  async products(networkId) {
    say({ kind: 'products', networkId });
    return (await answer('products')).products;
  },
};

async function giveCompared(checked: CheckedFile): Promise<void> {
  const { rowsPerChunk } = await answer('compare');
  const writer = makeTextWriter(rowsPerChunk * bytesPerRow);
  for await (const rows of checked.rows(rowsPerChunk)) {
    say({ kind: 'compared', rows: packRows(rows, writer) });
    await answer('compare');
  }
  say({ kind: 'compared', rows: null });
}

async function check(): Promise<void> {
  const checked = await checkFile({
    source: sourceOf(file, () => undefined),
    settings,
    catalog: hasCatalog ? catalog : null,
    needsNames,
    signal,
    async onChecked(rows) {
      blocksUnderWay += 1;
      say({ kind: 'rows', rows });
      while (blocksUnderWay >= blocksUnderWayMax) await answer('stored');
    },
    onProgress: (progress) => say({ kind: 'progress', progress }),
  });
  try {
    const { header, form, about, hasShared, byThemselves } = checked;
    say({ kind: 'checked', file: { header, form, about, hasShared, byThemselves } });
    await giveCompared(checked);
    await answer('end');
  } finally {
    await checked.dispose();
  }
}

try {
  await check();
} catch (error) {
  if (!signal.aborted) say({ kind: 'failed', error: plainError(error) });
}
port.close();
