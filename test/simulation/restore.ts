import { listBatches } from '../../src/ledger/batches/batches.ts';
import type { Database } from '../../src/ledger/drivers/database.ts';
import { importFile } from './fed-again.ts';
import type { Plan } from './plan.ts';
import type { SimulatedProcess } from './process.ts';
import { asNamed } from './row-refs.ts';
import type { SeededRandom } from './seeded-random.ts';
import { alone, note, type World } from './world.ts';

/** A backup of the ledger that somebody puts back later. */
export interface Restore {
  /** When it is taken: before there is any file, before anything is sent, or when the first life has ended. */
  backup: 'new' | 'received' | 'begun';
  /** It is put back when this life has ended, or everything is at rest. */
  afterLife: number;
  /** How long the program is down then. */
  delayMs: number;
  /**
   * Whether the marks are put back with the ledger, and nobody says so: the program has to find out that it has an
   * older copy.
   */
  isUnsaid: boolean;
}

export function backUp(world: World, moment: Restore['backup']): void {
  if (world.plan.restore?.backup !== moment || world.isBackedUp) return;
  world.disk.backUp();
  world.isBackedUp = true;
}

/** An older copy of the ledger that nobody has said to be one. */
export interface OlderCopy {
  /** References of payments that the service has, and that the copy lacks. */
  lost: ReadonlySet<string>;
  /** When a person says so, because the program asks for it (world time). */
  saidAt: number | null;
}

/**
 * Puts the backup back once its time has come, and has an operator decide which files he gives afterwards. Returns
 * whether it was now.
 */
export async function restore(world: World, rested: boolean): Promise<boolean> {
  const { plan, clock, disk, lives, processes } = world;
  if (plan.restore === null || world.restoredAt !== null || processes.size > 0) return false;
  if (!rested && lives < plan.restore.afterLife) return false;
  disk.putBack();
  const { isUnsaid } = plan.restore;
  note(world, isUnsaid ? 'older_copy' : 'restored', `from "${plan.restore.backup}", after life ${lives}`);
  // What was acknowledged since the backup is gone: that is what a restore does.
  Object.assign(world, { webhooks: [], restoredAt: clock.monotonic(), sayRestored: !isUnsaid });
  const references = world.service.payments().map(({ reference }) => reference);
  const isSeen = showsLost(plan);
  const lost = new Set(references.filter((reference) => isSeen && disk.intentOf(reference) === null));
  if (isUnsaid) world.olderCopy = { lost, saidAt: null };
  const ledger = await disk.inspect();
  const known = (await listBatches(ledger, 100)).map(({ batch_id }) => batch_id);
  if (plan.version === 'v1') world.unseen = unseenPayments(references, isSeen ? await ledger.query(namesOfRows) : []);
  world.filesLeft = filesAfter(world, world.random.fork('restore'), known);
  await clock.sleep(plan.restore.delayMs);
  world.calmAfterMs = clock.monotonic() + plan.calmAfterMs;
  return true;
}

/**
 * Where Version 1's look-ups lag, the program cannot see what is lost; its service refuses a reference that was used.
 */
export function showsLost({ version, network }: Plan): boolean {
  return version === 'v2' || network.list_lags === 0;
}

/** The first references of all rows. */
const namesOfRows = `SELECT batches.run_id || '/' || rows.row_ref AS reference FROM rows
  JOIN batches ON batches.batch_id = rows.batch_id`;

/** Those of the payments that no row of a restored ledger can look up. */
function unseenPayments(references: readonly string[], rows: readonly object[]): Set<string> {
  const known = new Set(rows.map((row) => ('reference' in row ? row.reference : null)));
  return new Set(references.filter((one) => !known.has(one.replace(/~[0-9]+$/, ''))));
}

/**
 * The files that come after a restore, in any order: some of those that were lost; the first one's rows under another
 * run, as a file that was saved anew has it; and, where rows have no references, the same with other amounts under the
 * run of before.
 */
function filesAfter({ plan, files, service }: World, random: SeededRandom, known: readonly string[]) {
  const after = files.filter(({ batchId }) => !known.includes(batchId) && random.percent(50));
  const some = (percent: number) =>
    Array.from({ length: plan.rows }, (_, index) => service.row(index + 1, plan.declined.includes(index + 1))).filter(
      () => random.percent(percent),
    );
  const anew = random.percent(80) ? [{ runId: 'run-3', rows: some(60) }] : [];
  const corrected = some(40).map((row) => asNamed(plan, { ...row, amount: String(300 + row.row_no) }));
  // Before anybody has said that the ledger is an older copy, nobody can know what other runs have lost.
  const others = plan.restore?.isUnsaid
    ? []
    : [...anew, ...(plan.unnamed ? [{ runId: 'run-1', rows: corrected }] : [])];
  return [...after.map(({ runId, rows }) => ({ runId, rows })), ...others]
    .filter(({ rows }) => rows.length > 0)
    .map((file) => ({ file, at: random.fraction() }))
    .sort((a, b) => a.at - b.at)
    .map(({ file }) => file);
}

/** An operator gives one of the files that are left, or several, before the program goes on. */
export async function feedLost(world: World, process: SimulatedProcess, db: Database): Promise<void> {
  if (world.filesLeft.length > 0) await alone(world, 'givenBy', process, () => feedSome(world, process, db));
}

async function feedSome(world: World, process: SimulatedProcess, db: Database): Promise<void> {
  const { filesLeft, random } = world;
  for (let count = random.between(1, filesLeft.length); count > 0; count--) {
    const [file] = filesLeft;
    if (!file) return;
    const batchId = `batch-${(await listBatches(db, 100)).length + 1}`;
    const rows = file.rows.map((row, index) => ({ ...row, row_no: index + 1, line: index + 2 }));
    await importFile(world, process, db, { batchId, runId: file.runId, rows });
    filesLeft.shift();
    note(world, 'fed_after_restore', `${batchId} of ${file.runId}`);
  }
}
