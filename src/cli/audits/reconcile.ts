import { relative } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { moneyText } from '../../core/money/money.ts';
import { batchIs } from '../../core/state/state-words.ts';
import { visible } from '../../core/text/visible.ts';
import { dayMs } from '../../core/time/clock.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import { requireBatch } from '../../engine/batches/batch-commands.ts';
import type { Database } from '../../ledger/drivers/database.ts';
import { pageOpenItems } from '../../ledger/reporting/reconciliations.ts';
import { reconcile } from '../../reports/reconcile/reconcile.ts';
import { bucketMeanings, buckets } from '../../reports/reconcile/reconcile-buckets.ts';
import type { ReconcileRequest } from '../../reports/reconcile/reconcile-run.ts';
import {
  isSettled,
  outcomeOf,
  type ReconcileItem,
  type Reconciliation,
} from '../../reports/reconcile/reconciliation.ts';
import { timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { reconcileDeps } from '../../runtime/accounts/reconcile-deps.ts';
import { applyStoredThrottle } from '../../runtime/accounts/throttled-requests.ts';
import { withAccount } from '../../runtime/accounts/with-account.ts';
import { type Session, sessionKey } from '../../runtime/session/session.ts';
import { sandboxAccountName } from '../../runtime/settings/account-config.ts';
import { chooseAccount } from '../../runtime/settings/config.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { isDay, timeOf } from '../base/dates.ts';
import { throttleText } from '../session/blockers.ts';
import { outOf, withLedger } from '../session/session.ts';

interface ReconcileOptions {
  account?: string;
  from?: string;
  to?: string;
  batch?: string;
  out?: string;
}

/** How long after the last row of a batch its payments are still looked for. */
const afterBatchMs = 60_000;

/** `airbatch reconcile`: compares the ledger with the service's own list and with the wallets. */
export function execute(context: CommandContext, _args: string[], given: Record<string, unknown>): Promise<number> {
  const options = given as ReconcileOptions;
  refuseContradictions(options);
  return withLedger(context, async (session) => {
    const request = await requestOf(session, options);
    return withAccount(session, request.account, async (account) => {
      const out = outOf(context, session, options.out);
      const showWait = context.terminal.isInteractive ? showingWait(context, session) : undefined;
      await applyStoredThrottle(account, session);
      const key = await sessionKey(session);
      const readers = { readableByGroup: session.config.readableByGroup };
      const deps = { ...reconcileDeps(account, session, { next: 'try again', showWait }), key, ...readers };
      const { dir, files, reconciliation } = await reconcile(session.db, deps, request, out);
      const where = `Reports    ${relative(context.cwd, dir) || '.'}/ (${files.join(', ')})`;
      const named = await openLines(session.db, reconciliation);
      const lines = [...linesOf(context, reconciliation), ...named, where];
      answer(context, { reconciliation, reports: { dir, files } }, lines.join('\n'));
      return isSettled(reconciliation) ? 0 : 5;
    });
  });
}

/** How often the line of a wait is brought up to date. */
const redrawMs = 1_000;

/** Shows what is waited for, and for how much longer, until the wait is over. */
function showingWait({ terminal }: CommandContext, { clock }: Session): (throttle: ThrottleWait) => Promise<void> {
  return async (throttle) => {
    for (let now = clock.now(); now < throttle.until; now = clock.now()) {
      terminal.show([`Waits for ${throttleText(throttle, now)}`]);
      await clock.sleep(Math.min(redrawMs, throttle.until - now));
    }
    terminal.show([]);
  };
}

function refuseContradictions({ account, from, to, batch }: ReconcileOptions): void {
  if (batch === undefined) return;
  for (const [option, said] of Object.entries({ '--account': account, '--from': from, '--to': to })) {
    if (said !== undefined)
      throw new AirbatchError('USAGE', `${option} cannot be said with --batch`, {
        hint: 'A batch has its account and its time: leave one of the two out.',
      });
  }
}

async function requestOf(session: Session, { account, from, to, batch }: ReconcileOptions): Promise<ReconcileRequest> {
  const now = session.clock.now();
  if (batch !== undefined) {
    const found = await requireBatch(session.db, batch);
    if (found.started_at === null)
      throw new AirbatchError('BATCH_STATE', `batch ${batch} ${batchIs(found)}: nothing of it was sent`);
    const toMs = found.completed_at === null ? now : found.completed_at + afterBatchMs;
    return { account: found.account, batchId: batch, fromMs: found.started_at, toMs };
  }
  if (from === undefined)
    throw new AirbatchError('USAGE', 'the time to compare is not given', {
      hint: 'Say --from DATE (and --to DATE), or --batch BATCH.',
    });
  const fromMs = timeOf('--from', from);
  // A day is meant to its end.
  const toMs = to === undefined ? now : timeOf('--to', to) + (isDay(to) ? dayMs - 1 : 0);
  if (toMs < fromMs)
    throw to === undefined
      ? new AirbatchError('USAGE', `--from ${from} is still to come`, { hint: 'Name a day that has begun.' })
      : new AirbatchError('USAGE', `--to ${to} is before --from ${from}`, {
          hint: 'Name the earlier one with --from.',
        });
  const chosen = chooseAccount(session.config, account);
  return { account: chosen?.name ?? sandboxAccountName, fromMs, toMs };
}

function linesOf({ terminal }: CommandContext, run: Reconciliation): string[] {
  const mark = isSettled(run) ? terminal.paint('green', '✔') : terminal.paint('yellow', '!');
  const headline = `${mark} ${outcomeOf(run)}.`;
  const lines = [headline, `Compared   ${run.account}, ${timeText(run.from)} to ${timeText(run.to)}`];
  for (const bucket of buckets) {
    const count = run.counts[bucket];
    if (count === 0) continue;
    lines.push(`${String(count).padStart(8)}   ${bucket.replaceAll('_', ' ')}: ${bucketMeanings[bucket]}`);
  }
  for (const { currency, left, charged, unexplained } of run.wallets?.currencies ?? []) {
    if ([left, charged, unexplained].every((amount) => Number(amount) === 0)) continue;
    const explained =
      Number(unexplained) === 0 ? 'all of it explained' : `${moneyText(currency, unexplained)} not explained`;
    lines.push(`Wallets    ${moneyText(currency, left)} left, ${moneyText(currency, charged)} charged: ${explained}`);
  }
  if (run.wallets?.next) lines.push(`Next       ${run.wallets.next}`);
  return lines;
}

/** Open items that the terminal names; the files have them all. */
const namedMax = 5;

/** The first open items, each with what to do about it. */
async function openLines(db: Database, { reconciliation_id: id, open }: Reconciliation): Promise<string[]> {
  const items = await pageOpenItems(db, id, 0, namedMax);
  const lines = items.map(({ item }) => {
    const { bucket, batch_id, row, reference, topup_id, next } = JSON.parse(item) as ReconcileItem;
    const payment = [batch_id && `batch ${batch_id}, row ${row}`, reference, topup_id && `payment ${topup_id}`];
    const named = visible(payment.filter(Boolean).join(', '));
    return `Open       ${bucket.replaceAll('_', ' ')}: ${named}. ${next}`;
  });
  const more = open - items.length;
  return more > 0 ? [...lines, `           and ${counted(more, 'more')} in reconciliation.csv`] : lines;
}
