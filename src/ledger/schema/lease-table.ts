import { allEnded } from '../../core/basics/all-ended.ts';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { Queryable } from '../drivers/database.ts';
import { filledLists } from '../drivers/filled-lists.ts';
import { readColumn, readOne, readValue } from '../drivers/read.ts';

/**
 * The right to send for an account. The number grows each time the account changes its holder, so that a former holder
 * is recognized.
 */
export interface Fence {
  account: string;
  holder: string;
  fence: number;
}

export interface LeaseRecord extends Fence {
  expires_at: number;
  /** When the holder took it; null if that was an earlier version of the program. */
  taken_at: number | null;
}

export function findLease(db: Queryable, account: string): Promise<LeaseRecord | null> {
  return readOne(db, 'SELECT * FROM leases WHERE account = ?', [account]);
}

/** Every lease that was ever taken. */
export function allLeases(db: Queryable): Promise<LeaseRecord[]> {
  return db.query('SELECT * FROM leases ORDER BY account');
}

/** The lease of the account if somebody holds it at `now`. A process that was killed holds it until it expires. */
export function findHeldLease(db: Queryable, account: string, now: number): Promise<LeaseRecord | null> {
  const sql = 'SELECT * FROM leases WHERE account = ? AND expires_at > ledger_now(?)';
  return readOne(db, sql, [account, now]);
}

/**
 * The time (epoch ms) by which everything is measured that a process holds for a while: that of the machine (`now`), or
 * that of the database server if several machines share the ledger, whose clocks may differ.
 */
export async function holdTime(db: Queryable, now: number): Promise<number> {
  return (await readValue<number>(db, 'SELECT ledger_now(?)', [now])) as number;
}

/** All leases that have not expired, by account. */
export async function heldLeases(db: Queryable, now: number): Promise<Map<string, LeaseRecord>> {
  const leases = await db.query<LeaseRecord>('SELECT * FROM leases WHERE expires_at > ledger_now(?)', [now]);
  return new Map(leases.map((lease) => [lease.account, lease]));
}

/** Where the processes that work on a ledger stand in it, and from which version of its schema on. */
const holders = [
  { since: 1, sql: 'SELECT holder FROM leases WHERE expires_at > ledger_now(?)' },
  { since: 5, sql: 'SELECT holder FROM readings WHERE expires_at > ledger_now(?)' },
  { since: 9, sql: "SELECT holder FROM slots WHERE state = 'running' AND expires_at > ledger_now(?)" },
];

/**
 * The processes that work on a ledger with this version of the schema: that send for an account, read a file, or run a
 * job. A killed one is among them until its time expires.
 */
export async function presentHolders(tx: Queryable, now: number, schema: number): Promise<string[]> {
  const found = holders.filter(({ since }) => since <= schema).map(({ sql }) => readColumn<string>(tx, sql, [now]));
  return (await allEnded(found)).flat();
}

/** How long a holder has an account without renewing it, and the present time (epoch ms). */
interface LeaseTime {
  now: number;
  ttlMs: number;
}

/**
 * Takes the account for `holder`, if nobody holds it, if its lease has expired, or if its holder is `deadHolder` (a
 * process that is known to have ended). Null if another holder has it. All holders measure leases by one clock: see
 * `holdTime`.
 */
export async function takeLease(
  tx: Queryable,
  request: { account: string; holder: string; deadHolder: string | null } & LeaseTime,
): Promise<LeaseRecord | null> {
  const { account, holder, now, ttlMs, deadHolder } = request;
  await tx.execute(
    `INSERT INTO leases (account, holder, fence, expires_at) VALUES (?, '', 0, 0) ON CONFLICT (account) DO NOTHING`,
    [account],
  );
  const sql = `UPDATE leases SET holder = ?, fence = fence + 1, expires_at = ledger_now(?) + ?, taken_at = ledger_now(?)
     WHERE account = ? AND (expires_at <= ledger_now(?) OR holder = ?) RETURNING *`;
  return readOne<LeaseRecord>(tx, sql, [holder, now, ttlMs, now, account, now, deadHolder ?? '']);
}

/** Leases in one statement. */
const leasesPerQuery = 50;
const heldPlaces = Array(leasesPerQuery).fill('(CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS TEXT))').join(', ');
const renewSql = `UPDATE leases SET expires_at = ledger_now(?) + ? WHERE (account, fence, holder) IN (VALUES ${heldPlaces})
  RETURNING *`;

/** Extends leases. In their order, null for each that is no longer held under its fence. */
export async function renewLeases(
  tx: Queryable,
  fences: readonly Fence[],
  { now, ttlMs }: LeaseTime,
): Promise<(LeaseRecord | null)[]> {
  const values = fences.flatMap(({ account, fence, holder }) => [account, fence, holder]);
  const lists = filledLists(values, 3 * leasesPerQuery);
  const renewed = await allEnded(lists.map((list) => tx.query<LeaseRecord>(renewSql, [now, ttlMs, ...list])));
  const found = new Map(renewed.flat().map((lease) => [lease.account, lease]));
  return fences.map(({ account, fence, holder }) => {
    const lease = found.get(account);
    return lease?.fence === fence && lease.holder === holder ? lease : null;
  });
}

/** Releases the account, so that the next runner need not wait until the lease expires. */
export async function releaseLease(tx: Queryable, fence: Fence): Promise<void> {
  await tx.execute('UPDATE leases SET expires_at = 0 WHERE account = ? AND fence = ? AND holder = ?', [
    fence.account,
    fence.fence,
    fence.holder,
  ]);
}

/** Ends every lease: in a ledger that no program works on. */
export async function releaseAll(tx: Queryable): Promise<void> {
  await tx.execute('UPDATE leases SET expires_at = 0');
}

/** Fails with `FENCED` if the account has changed its holder since `fence` was taken. */
export async function checkFence(tx: Queryable, fence: Fence): Promise<void> {
  const lease = await findLease(tx, fence.account);
  if (lease?.fence !== fence.fence || lease.holder !== fence.holder) {
    throw new AirbatchError('FENCED', `another process took over account "${fence.account}"`);
  }
}

/**
 * Raises the account's fencing number to `fence`, which must not be below the present one: a ledger from a backup must
 * not use numbers again.
 */
export async function raiseFence(tx: Queryable, account: string, fence: number): Promise<void> {
  await tx.execute(
    `INSERT INTO leases (account, holder, fence, expires_at) VALUES (?, '', ?, 0)
     ON CONFLICT (account) DO UPDATE SET fence = excluded.fence`,
    [account, fence],
  );
}
