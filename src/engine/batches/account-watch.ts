import { whenAborted } from '../../core/time/aborted.ts';
import { type Alarm, makeAlarm } from '../../core/time/alarm.ts';
import { announcedChanges } from '../../ledger/accounts/announce.ts';
import { accountsWithDueWebhooks } from '../../ledger/accounts/webhook-inbox.ts';
import type { Database, Notice } from '../../ledger/drivers/database.ts';
import type { Parts } from '../runner/context.ts';
import { wakeAll } from '../runner/wake.ts';

type WatchNeeds = Parts<'account' | 'clock' | 'db' | 'picker' | 'settings' | 'stopping' | 'wakes'>;

interface Watch {
  alarm: Alarm;
  /** Ends listening for notices of other processes. */
  unlisten: () => void;
  /** The accounts, each with the count of announced changes that its loops know. */
  watched: Map<WatchNeeds, number>;
}

/** One watch for each open ledger, whatever number of accounts this process works for. */
const watches = new WeakMap<Database, Watch>();

/**
 * Wakes the loops of an account when another part of this program, or another process, has work for it: it changed a
 * batch, or received a webhook. One look asks for all accounts of this process. If the ledger is on a server, notices
 * of other processes wake the loops at once. `known`: how many changes were announced before the batches were read.
 * Resolves when the runner stops.
 */
export async function watchAccount(context: WatchNeeds, known: number): Promise<void> {
  const { db, clock, stopping } = context;
  if (stopping.aborted) return;
  const watch = watches.get(db) ?? { alarm: makeAlarm(clock), watched: new Map(), unlisten: () => undefined };
  watches.set(db, watch);
  watch.watched.set(context, known);
  if (watch.watched.size === 1) {
    setAlarm(watch, context);
    watch.unlisten = db.listen((notice) => wakeFor(watch, notice));
  }
  await whenAborted(stopping);
  watch.watched.delete(context);
  if (watch.watched.size === 0) {
    watch.alarm.clear();
    watch.unlisten();
  }
}

/** Wakes the account that a notice names; all of them if some notices may have been missed. */
function wakeFor({ watched }: Watch, notice: Notice | null): void {
  for (const context of watched.keys()) {
    if (notice === null) wakeChanged(context);
    else if (notice.account === context.account && notice.kind === 'batch') wakeChanged(context);
    else if (notice.account === context.account) context.wakes.webhook.wake();
  }
}

/** Rows before the picker's reading position may be ready now: they were released or retried. */
function wakeChanged({ picker, wakes }: WatchNeeds): void {
  picker.rescan();
  wakeAll(wakes);
}

function setAlarm(watch: Watch, context: WatchNeeds): void {
  watch.alarm.set(context.settings.idlePollMs, () => void look(watch, context));
}

async function look(watch: Watch, { db, clock }: WatchNeeds): Promise<void> {
  // While the ledger is away, no loop is woken: each would end with the same error. A later look finds the changes.
  const changes = await announcedChanges(db).catch(() => null);
  const hooked = await accountsWithDueWebhooks(db, clock.now()).catch(() => null);
  for (const [context, known] of watch.watched) {
    const count = changes === null ? known : (changes.get(context.account) ?? 0);
    if (count !== known) wakeChanged(context);
    else if (hooked?.has(context.account)) context.wakes.webhook.wake();
    watch.watched.set(context, count);
  }
  const [first] = watch.watched.keys();
  if (first) setAlarm(watch, first);
}
