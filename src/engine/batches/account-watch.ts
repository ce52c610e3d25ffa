import { type Alarm, makeAlarm } from '../../core/time/alarm.ts';
import { accountsWithWork } from '../../ledger/accounts/accounts-with-work.ts';
import type { Database, Notice } from '../../ledger/drivers/database.ts';
import type { Parts } from '../runner/context.ts';
import { wakeAll } from '../runner/wake.ts';

type WatchNeeds = Parts<'account' | 'batches' | 'clock' | 'db' | 'settings' | 'stopping' | 'wakes'>;

interface Watch {
  alarm: Alarm;
  /** Ends listening for notices of other processes. */
  unlisten: () => void;
  watched: Set<WatchNeeds>;
}

/** One watch for each open ledger, whatever number of accounts this process works for. */
const watches = new WeakMap<Database, Watch>();

/**
 * Wakes the loops of an account without open batches when another part of this program, or another process, has work
 * for it: an approved batch, or a webhook. One query asks for all accounts of this process. An account with open
 * batches looks by itself. If the ledger is on a server, notices of other processes wake both kinds at once. Resolves
 * when the runner stops.
 */
export async function watchAccount(context: WatchNeeds): Promise<void> {
  const { db, clock, stopping } = context;
  if (stopping.aborted) return;
  const watch = watches.get(db) ?? { alarm: makeAlarm(clock), watched: new Set(), unlisten: () => undefined };
  watches.set(db, watch);
  watch.watched.add(context);
  if (watch.watched.size === 1) {
    setAlarm(watch, context);
    watch.unlisten = db.listen((notice) => wakeFor(watch, notice));
  }
  await new Promise<void>((resolve) => stopping.addEventListener('abort', () => resolve(), { once: true }));
  watch.watched.delete(context);
  if (watch.watched.size === 0) {
    watch.alarm.clear();
    watch.unlisten();
  }
}

/** Wakes the account that a notice names; all of them if some notices may have been missed. */
function wakeFor({ watched }: Watch, notice: Notice | null): void {
  for (const { account, wakes } of watched) {
    if (notice === null) wakeAll(wakes);
    else if (notice.account === account && notice.kind === 'batch') wakeAll(wakes);
    else if (notice.account === account) wakes.webhook.wake();
  }
}

function setAlarm(watch: Watch, { db, settings }: WatchNeeds): void {
  watch.alarm.set(settings.idlePollMs, () => void look(watch, db));
}

async function look(watch: Watch, db: Database): Promise<void> {
  const idle = [...watch.watched].filter(({ batches }) => !batches.isAnyOpen());
  if (idle.length > 0) {
    // If the ledger cannot be read, the loops meet the same error, and report it.
    const withWork = await accountsWithWork(db).catch(() => null);
    for (const { account, wakes } of idle) if (withWork?.has(account) ?? true) wakeAll(wakes);
  }
  const [first] = watch.watched;
  if (first) setAlarm(watch, first);
}
