import type { Pool } from 'pg';
import type { SqlValue } from '../../../src/ledger/drivers/database.ts';
import type { VirtualClock } from '../../support/virtual-clock.ts';
import type { SimulatedProcess } from '../process.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { connectionLost, type DatabaseServer, type Session } from './database-server.ts';

/** How a machine is cut off from the database: what it sends is refused at once, or nobody answers. */
export type Cut = 'reset' | 'silent';

export interface Line {
  /** Null: the machine reaches the database. */
  cut(): Cut | null;
  /** What becomes of the next commit of the machine; drawn when it is sent. */
  commitFate(): 'told' | 'lost_before' | 'lost_after';
  /** The database has committed something, and has not answered yet. */
  onCommitted?(): void;
  /** An answer takes no time. */
  isAlone?: true;
}

type Query = string | { text: string; values?: SqlValue[]; rowMode?: 'array' };

const connectMsMax = 5_000;
/** How long a machine waits at most for an answer of a server that is silent. */
const silentMsMax = 30_000;

/**
 * The pool of connections of one process, in place of the one of `pg`: a round trip takes a moment, is lost where the
 * machine is cut off, and reaches the process only while that lives and runs.
 */
export function makePool(
  { clock, random, server, line }: { clock: VirtualClock; random: SeededRandom; server: DatabaseServer; line: Line },
  process: SimulatedProcess,
  owner: string,
): Pool {
  const idle: Session[] = [];
  const running = () => process.read(async () => undefined);

  const unlessCut = async (session: Session | null, msMax: number): Promise<void> => {
    const cut = line.cut();
    if (cut === null) return;
    const until = clock.monotonic() + (cut === 'silent' ? msMax : 0);
    while (line.cut() !== null && clock.monotonic() < until)
      await clock.sleep(Math.min(1_000, until - clock.monotonic()));
    if (session) server.close(session);
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' });
  };

  const roundTrip = async (session: Session, text: string, values: readonly SqlValue[], asArrays: boolean) => {
    if (!line.isAlone) await clock.sleep(random.between(0, 2));
    await unlessCut(session, silentMsMax);
    const isWrite = text === 'COMMIT' && session.tx?.isWriting === true;
    const fate = text === 'COMMIT' && !session.tx?.isReadOnly ? line.commitFate() : 'told';
    if (fate === 'lost_before') server.close(session);
    const answer = await server.run(session, text, values, asArrays);
    if (isWrite) line.onCommitted?.();
    if (fate === 'lost_after') {
      server.close(session);
      throw connectionLost();
    }
    await unlessCut(session, silentMsMax);
    return answer;
  };

  const answer = async (session: Session, what: Query, given: readonly SqlValue[]) => {
    const { text, values = [], rowMode = null } = typeof what === 'string' ? { text: what, values: [...given] } : what;
    await running();
    const work = () => roundTrip(session, text, values, rowMode === 'array');
    const isWrite = text === 'COMMIT' && session.tx?.isWriting === true;
    const {
      rows,
      rowCount,
      command = text.split(' ')[0],
    } = await (isWrite ? process.step('commit', work) : process.read(work));
    const result = { command, rows, rowCount };
    return text.startsWith('BEGIN') ? [result] : result;
  };

  /** A connection answers in order, however many statements were sent before the first answer. */
  const lastAnswers = new WeakMap<Session, Promise<unknown>>();
  const query = (session: Session, what: Query, given: readonly SqlValue[] = []) => {
    const mine = (lastAnswers.get(session) ?? Promise.resolve()).then(() => answer(session, what, given));
    lastAnswers.set(
      session,
      mine.catch(() => undefined),
    );
    return mine;
  };

  const open = async (): Promise<Session> => {
    await running();
    const session = idle.pop();
    if (session && session.closed === null) return session;
    return process.read(async () => {
      if (!line.isAlone) await clock.sleep(random.between(1, 5));
      await unlessCut(null, connectMsMax);
      return server.open(owner);
    });
  };

  const connect = async () => {
    const session = await open();
    return {
      query: (what: Query, values?: SqlValue[]) => query(session, what, values),
      on: () => undefined,
      off: () => undefined,
      release(isBroken?: boolean) {
        if (isBroken) server.close(session);
        else idle.push(session);
      },
    };
  };

  const pool = {
    connect,
    on: () => undefined,
    end: async () => undefined,
    async query(what: Query, values?: SqlValue[]) {
      const client = await connect();
      try {
        const result = await client.query(what, values);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        throw error;
      }
    },
  };
  return pool as unknown as Pool;
}
