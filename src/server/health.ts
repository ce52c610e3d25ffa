import { statfs } from 'node:fs/promises';
import type { FastifyInstance } from 'fastify';
import { AirbatchError } from '../core/basics/errors.ts';
import type { Clock } from '../core/time/clock.ts';
import { gateOf, readGate } from '../engine/pacing/account-gate.ts';
import type { Database } from '../ledger/drivers/database.ts';
import { highestClock, proveWritable } from '../ledger/schema/ledger-state.ts';

/** How many accounts this process works for, and how many it waits for because another process works for them. */
export interface Health {
  stopping: boolean;
  /** False while reports wait because their folder is not writable. */
  reports: boolean;
  accounts: { working: number; waiting: number };
}

export interface HealthDeps {
  db: Database;
  clock: Clock;
  health: () => Health;
  /**
   * Whether the disk of the ledger has room. On a full disk no account can be taken, though a small write to the ledger
   * may still fit into its files.
   */
  hasRoom: () => Promise<boolean>;
  /** By account. */
  webhookKeys: ReadonlyMap<string, unknown>;
}

/** How long a successful test write counts: each check costs a write, and anybody may ask. */
const provedMs = 2_000;

/** With less room than this, a disk counts as full: about what a hundred rows need. */
const roomMinBytes = 256 * 1024;

/** Whether the disk of a folder has room. */
export async function hasRoom(folder: string): Promise<boolean> {
  try {
    const { blocks, bavail, bsize } = await statfs(folder);
    // Some file systems do not say how large they are.
    return blocks === 0 || bavail * bsize >= roomMinBytes;
  } catch {
    // With a ledger on PostgreSQL, the folder may not exist. What else is wrong with it, the test write shows.
    return true;
  }
}

/**
 * `GET /live`: the process answers. `GET /ready`: the ledger is writable (so webhooks can be stored), the process is
 * not ending, and no report waits for a folder that is not writable. A process that waits for its accounts is ready,
 * since webhooks need only the ledger; `closed` counts the accounts that may not send now. Neither answer names an
 * account.
 */
export function addHealthRoutes(app: FastifyInstance, { db, clock, health, hasRoom, webhookKeys }: HealthDeps): void {
  let proof: { at: number; isWritable: Promise<boolean> } | null = null;
  const isWritable = () => {
    const at = clock.monotonic();
    if (proof === null || at - proof.at >= provedMs) {
      const isWritable = proveWritable(db, clock.now()).then(
        () => true,
        // Another program is writing at this moment; that passes.
        (error: unknown) => error instanceof AirbatchError && error.code === 'LEDGER_BUSY',
      );
      proof = { at, isWritable };
    }
    return proof.isWritable;
  };
  const countClosed = async (isLedgerUsable: boolean) => {
    const now = clock.now();
    let closed = 0;
    for (const account of webhookKeys.keys()) {
      const gate = isLedgerUsable ? await readGate(db, account, now) : gateOf({ isLedgerUsable }, now);
      if (!gate.isOpen) closed += 1;
    }
    return closed;
  };
  app.get('/live', async () => ({ live: true }));
  app.get('/ready', async (_request, reply) => {
    const { stopping, reports, accounts } = health();
    const isReadable = await highestClock(db).then(
      () => true,
      () => false,
    );
    const ledger = isReadable && (await isWritable()) && (await hasRoom());
    const ready = ledger && reports && !stopping;
    const closed = await countClosed(ledger);
    const body = { ready, ledger, reports, stopping, accounts: { ...accounts, closed } };
    return reply.code(ready ? 200 : 503).send(body);
  });
}
