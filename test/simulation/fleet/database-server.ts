import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SqlValue } from '../../../src/ledger/drivers/database.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';
import { type Answer, type Connection, connect, isReading } from './sql.ts';

/** A transaction at the server. */
interface Transaction {
  xid: string;
  isReadOnly: boolean;
  /** Its own view of the ledger, where it has one (repeatable read). */
  view: Connection | null;
  /** The advisory locks that it holds, by key. */
  locks: Map<string, 'alone' | 'shared'>;
  isWriting: boolean;
  /** A statement of it has failed: it can only be rolled back. */
  hasFailed: boolean;
  /** The last row of the audit log before it wrote. */
  eventsBefore: number;
  notices: string[];
  /** How many notices there were before the open savepoint; null without one. */
  noticesBefore: number | null;
  idleSince: number;
  idleMsMax: number;
}

/** An advisory lock that somebody holds or waits for. */
interface Wanted {
  key: string;
  mode: 'alone' | 'shared';
}

/** One connection of a machine, as the server sees it. */
export interface Session {
  readonly owner: string;
  tx: Transaction | null;
  /** Why the server has closed it; null while it is open. */
  closed: Error | null;
}

/** What the fleet's judge wants to know of each commit. */
export type OnCommit = (committed: {
  owner: string;
  engineAccounts: { account: string; holder: string }[];
  leases: HeldLease[];
  /** The server's clock (epoch ms). */
  now: number;
}) => void;

export interface HeldLease {
  account: string;
  holder: string;
  expires_at: number;
}

/**
 * PostgreSQL as far as the ledger depends on it: several connections, statements outside a transaction that see what is
 * committed, advisory locks, transactions that can be looked up by their number, notices, time-outs, and a replica
 * that becomes the primary. Behind it is a file of SQLite. Transactions that share a lock run beside each other: each
 * statement sees what is committed, and a statement that writes waits for the other writer to end.
 */
export interface DatabaseServer {
  open(owner: string): Session;
  run(session: Session, text: string, params: readonly SqlValue[], asArrays: boolean): Promise<Answer>;
  /** The machine of these sessions is dead, or has ended the connection. */
  close(session: Session): void;
  closeAllOf(owner: string): void;
  listen(owner: string, onNotice: (payload: string | null) => void): () => void;
  /** Keeps what a replica has by now. */
  replicate(): void;
  /** The replica becomes the primary: what was committed since `replicate` is lost. */
  failOver(): void;
  /** What is committed, for the world outside. */
  committed(text: string, params?: readonly SqlValue[]): Record<string, SqlValue>[];
  path(): string;
  stop(): void;
}

export interface ServerOptions {
  folder: string;
  clock: VirtualClock;
  /** How far the server's clock is from the world's (ms). */
  skewMs: number;
  bytes: Buffer;
  /** How long this commit takes (ms). */
  commitMs: (owner: string) => number;
  onCommit: OnCommit;
}

const withState = (code: string, message: string): Error => Object.assign(new Error(message), { code });
export const connectionLost = (): Error => new Error('Connection terminated unexpectedly');
const shutDown = () => withState('57P01', 'terminating connection due to administrator command');
const silentTooLong = () => withState('25P03', 'terminating connection due to idle-in-transaction timeout');

const settings = new Map<string, number>();

/** The value of a setting in the text that begins a transaction; 0 if it is not there. */
function settingIn(text: string, name: string): number {
  const key = `${name} ${text}`;
  const known = settings.get(key) ?? Number(new RegExp(`${name} = (\\d+)`).exec(text)?.[1] ?? 0);
  settings.set(key, known);
  return known;
}

export function makeDatabaseServer(options: ServerOptions): DatabaseServer {
  const { folder, clock, skewMs } = options;
  let timeline = 1;
  let xids = 700;
  let ended = new Map<string, 'committed' | 'aborted'>();
  let replica: { bytes: Buffer; log: Buffer; ended: typeof ended } | null = null;
  let collecting: string[] = [];
  const sessions = new Set<Session>();
  const listeners = new Set<{ owner: string; onNotice: (payload: string | null) => void }>();
  /** Who waits for an advisory lock, in the order in which they came. */
  const queue: Wanted[] = [];
  /** Who waits for a lock, or for the writer: woken at every end of a transaction. */
  const waiting = new Set<() => void>();

  const path = () => join(folder, `server-${timeline}.db`);
  const facts = {
    now: () => Math.floor(clock.now() + skewMs),
    identity: () => `7412/16384/16390@${String(timeline).padStart(8, '0')}`,
    notify: (payload: string) => void collecting.push(payload),
  };
  writeFileSync(path(), options.bytes);
  let writer = connect(path(), facts);
  let reader = connect(path(), facts);
  /** Connections for transactions that only read, each with its prepared statements. */
  let views: Connection[] = [];
  const open = () => [...sessions].map(({ tx }) => tx).filter((tx) => tx !== null);

  const announce = (notices: readonly string[]) => {
    for (const payload of notices)
      for (const { onNotice } of [...listeners]) void clock.sleep(5).then(() => onNotice(payload));
  };
  const wakeAll = () => {
    for (const wake of [...waiting]) wake();
  };
  /** Ends the transaction of the session; `commit` tells how. */
  const end = (session: Session, commit: boolean) => {
    const { tx } = session;
    if (tx === null) return;
    session.tx = null;
    if (tx.view) {
      tx.view.exec('ROLLBACK');
      views.push(tx.view);
    }
    if (tx.isWriting) writer.exec(commit ? 'COMMIT' : 'ROLLBACK');
    if (!tx.isReadOnly) ended.set(tx.xid, commit ? 'committed' : 'aborted');
    if (commit) announce(tx.notices);
    wakeAll();
  };
  const closeSession = (session: Session, why: Error) => {
    session.closed ??= why;
    end(session, false);
    sessions.delete(session);
  };
  /** The server ends a transaction whose machine has said nothing for too long. */
  const idleEnd = (session: Session): number => {
    const { tx } = session;
    if (tx === null || tx.idleMsMax === 0) return Number.POSITIVE_INFINITY;
    return tx.idleSince + tx.idleMsMax;
  };
  const endIdle = () => {
    for (const session of [...sessions])
      if (idleEnd(session) <= clock.monotonic()) closeSession(session, silentTooLong());
  };
  /** Waits until the session may have what `take` asks for: it takes it at that moment, or returns false. */
  const waitFor = async (session: Session, lockMsMax: number, take: () => boolean) => {
    const until = clock.monotonic() + lockMsMax;
    for (endIdle(); session.closed !== null || !take(); endIdle()) {
      if (session.closed !== null) throw session.closed;
      if (clock.monotonic() >= until) throw withState('55P03', 'canceling statement due to lock timeout');
      const next = Math.min(until, ...[...sessions].map(idleEnd));
      const woken = new AbortController();
      const wake = () => woken.abort();
      waiting.add(wake);
      await clock.sleep(Math.max(1, next - clock.monotonic()), woken.signal);
      waiting.delete(wake);
    }
  };

  /** In turns: who wants a lock for itself alone is not kept waiting by those who come later and share it. */
  const lock = async (session: Session, tx: Transaction, wanted: Wanted, lockMsMax: number) => {
    const clashes = ({ key, mode }: Wanted) => key === wanted.key && (mode === 'alone' || wanted.mode === 'alone');
    const held = (): Wanted[] => open().flatMap(({ locks }) => [...locks].map(([key, mode]) => ({ key, mode })));
    queue.push(wanted);
    try {
      await waitFor(session, lockMsMax, () => {
        if ([...held(), ...queue.slice(0, queue.indexOf(wanted))].some(clashes)) return false;
        tx.locks.set(wanted.key, wanted.mode);
        return true;
      });
    } finally {
      queue.splice(queue.indexOf(wanted), 1);
      wakeAll();
    }
  };

  const begin = async (session: Session, text: string): Promise<Answer> => {
    const isReadOnly = text.includes('READ ONLY');
    xids += 1;
    session.tx = {
      xid: String(xids),
      isReadOnly,
      view: null,
      locks: new Map(),
      isWriting: false,
      hasFailed: false,
      eventsBefore: 0,
      notices: [],
      noticesBefore: null,
      idleSince: Number.POSITIVE_INFINITY,
      idleMsMax: settingIn(text, 'idle_in_transaction_session_timeout'),
    };
    const { tx } = session;
    if (isReadOnly) {
      tx.view = views.pop() ?? connect(path(), facts);
      tx.view.exec('BEGIN');
      return { rows: [], rowCount: 0 };
    }
    for (const [, how, key] of text.matchAll(/pg_advisory_xact_lock(_shared)?\((\d+)\)/g))
      await lock(session, tx, { key: String(key), mode: how ? 'shared' : 'alone' }, settingIn(text, 'lock_timeout'));
    return { rows: [{ xid: tx.xid, identity: facts.identity() }], rowCount: 1 };
  };

  const commit = async (session: Session): Promise<Answer> => {
    const { tx } = session;
    const ms = tx?.isWriting ? options.commitMs(session.owner) : 0;
    if (tx) tx.idleSince = Number.POSITIVE_INFINITY;
    if (tx?.hasFailed) {
      end(session, false);
      return { rows: [], rowCount: 0, command: 'ROLLBACK' };
    }
    if (ms > 0) await clock.sleep(ms);
    if (session.closed !== null) throw session.closed;
    if (tx?.isWriting) {
      const engineAccounts = writer.run(
        `SELECT DISTINCT batches.account AS account, leases.holder AS holder FROM events
         JOIN batches ON batches.batch_id = events.batch_id LEFT JOIN leases ON leases.account = batches.account
         WHERE events.rowid > ? AND events.actor = 'engine'`,
        [tx.eventsBefore],
        false,
      ).rows as { account: string; holder: string }[];
      const leases = writer.run('SELECT account, holder, expires_at FROM leases', [], false).rows as HeldLease[];
      options.onCommit({ owner: session.owner, engineAccounts, leases, now: facts.now() });
    }
    end(session, true);
    return { rows: [], rowCount: 0 };
  };

  const statement = async (session: Session, text: string, params: readonly SqlValue[], asArrays: boolean) => {
    const { tx } = session;
    const isRead = isReading(text);
    if (tx?.view) return tx.view.run(text, params, asArrays);
    if (!isRead && !tx?.isWriting) {
      if (!tx) throw new Error(`a statement that writes outside a transaction: ${text}`);
      await waitFor(session, 60_000, () => {
        tx.isWriting = open().every(({ isWriting }) => !isWriting);
        return tx.isWriting;
      });
      writer.exec('BEGIN IMMEDIATE');
      if (tx.noticesBefore !== null) writer.exec('SAVEPOINT member');
      tx.eventsBefore = Number(
        (writer.run('SELECT MAX(rowid) AS last FROM events', [], false).rows as { last: number }[])[0]?.last ?? 0,
      );
    }
    collecting = [];
    // While nobody writes, the connection that has the pages in memory shows what is committed.
    const isBeside = !tx?.isWriting && open().some(({ isWriting }) => isWriting);
    const answer = (isBeside ? reader : writer).run(text, params, asArrays);
    const notices = collecting;
    collecting = [];
    if (tx) tx.notices.push(...notices);
    else announce(notices);
    return answer;
  };

  /** A savepoint of a transaction that has not written is one of nothing. */
  const savepoint = (tx: Transaction, text: string): Answer => {
    const isUndo = text.startsWith('ROLLBACK TO');
    if (tx.hasFailed && !isUndo) throw withState('25P02', 'current transaction is aborted');
    tx.hasFailed = false;
    // What is undone leaves its savepoint; a new one takes the place of the one before.
    if (isUndo) tx.notices.splice(tx.noticesBefore ?? 0);
    else tx.noticesBefore = tx.notices.length;
    if (tx.isWriting) writer.exec(text);
    return { rows: [], rowCount: 0 };
  };

  const answerTo = async (session: Session, text: string, params: readonly SqlValue[], asArrays: boolean) => {
    if (text.startsWith('BEGIN')) return begin(session, text);
    if (text === 'COMMIT') return commit(session);
    if (text === 'ROLLBACK') {
      end(session, false);
      return { rows: [], rowCount: 0 };
    }
    if (session.tx && / member$/.test(text)) return savepoint(session.tx, text);
    if (text.includes('pg_xact_status'))
      return { rows: [{ status: ended.get(String(params[0])) ?? null, identity: facts.identity() }], rowCount: 1 };
    if (session.tx?.hasFailed) throw withState('25P02', 'current transaction is aborted');
    try {
      return await statement(session, text, params, asArrays);
    } catch (error) {
      if (session.tx) session.tx.hasFailed = true;
      throw error;
    }
  };

  return {
    open(owner) {
      const session: Session = { owner, tx: null, closed: null };
      sessions.add(session);
      return session;
    },
    async run(session, text, params, asArrays) {
      endIdle();
      if (session.closed !== null) throw session.closed;
      if (session.tx) session.tx.idleSince = Number.POSITIVE_INFINITY;
      const answer = await answerTo(session, text, params, asArrays);
      if (session.tx) session.tx.idleSince = clock.monotonic();
      return answer;
    },
    close: (session) => closeSession(session, connectionLost()),
    closeAllOf(owner) {
      for (const listener of [...listeners]) if (listener.owner === owner) listeners.delete(listener);
      for (const session of [...sessions]) if (session.owner === owner) closeSession(session, connectionLost());
    },
    listen(owner, onNotice) {
      const listener = { owner, onNotice };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    replicate() {
      const log = `${path()}-wal`;
      replica = {
        bytes: readFileSync(path()),
        log: existsSync(log) ? readFileSync(log) : Buffer.alloc(0),
        ended: new Map(ended),
      };
    },
    failOver() {
      if (replica === null) throw new Error('there is no replica');
      for (const session of [...sessions]) closeSession(session, shutDown());
      for (const one of [writer, reader, ...views]) one.close();
      views = [];
      timeline += 1;
      writeFileSync(path(), replica.bytes);
      writeFileSync(`${path()}-wal`, replica.log);
      ended = replica.ended;
      // The new primary gives the lost numbers to other transactions.
      xids = Math.max(700, ...[...ended.keys()].map(Number));
      writer = connect(path(), facts);
      reader = connect(path(), facts);
      for (const { onNotice } of [...listeners]) void clock.sleep(1_000).then(() => onNotice(null));
      wakeAll();
    },
    committed: (text, params = []) => reader.run(text, params, false).rows as Record<string, SqlValue>[],
    path,
    stop() {
      for (const session of [...sessions]) closeSession(session, shutDown());
      for (const view of views) view.close();
      writer.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      writer.close();
      reader.close();
    },
  };
}
