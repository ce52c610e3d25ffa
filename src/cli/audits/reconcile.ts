import type { z } from 'zod';
import { moneyText } from '../../core/money/money.ts';
import { visible } from '../../core/text/visible.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import { throttleText } from '../../operations/base/blockers.ts';
import { reconcileAccount } from '../../operations/proof/reconcile-account.ts';
import { bucketMeanings, buckets } from '../../reports/reconcile/reconcile-buckets.ts';
import { outcomeOf, whyWithoutWallets } from '../../reports/reconcile/reconciliation.ts';
import { timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf, shownFolder } from '../base/path-of.ts';
import { periodOf } from '../base/period.ts';
import { call } from '../session/call.ts';

interface ReconcileOptions {
  account?: string;
  from?: string;
  to?: string;
  batch?: string;
  out?: string;
}
type Reconciled = z.output<typeof reconcileAccount.result>;

/** `airbatch reconcile`: compares the ledger with the service's own list and with the wallets. */
export async function execute(
  context: CommandContext,
  _args: string[],
  { account, from, to, batch: batch_id, out }: ReconcileOptions,
): Promise<number> {
  const done = await call(
    context,
    reconcileAccount,
    {
      account,
      ...periodOf({ from, to }),
      batch_id,
      out: pathOf(context, out),
    },
    context.terminal.isInteractive ? showingWait(context) : undefined,
  );
  const { dir, files } = done.reports;
  const where = `Reports    ${shownFolder(context.cwd, dir)}/ (${files.join(', ')})`;
  answer(context, done, [...linesOf(context, done), ...openLines(done), where].join('\n'));
  return done.is_settled ? 0 : 5;
}

/** How often the line about a wait is redrawn. */
const redrawMs = 1_000;

/** Shows the reason for a wait and the remaining time until the wait is over. */
function showingWait({ terminal }: CommandContext): (throttle: ThrottleWait) => Promise<void> {
  const clock = systemClock;
  return async (throttle) => {
    for (let now = clock.now(); now < throttle.until; now = clock.now()) {
      terminal.show([`Waits for ${throttleText(throttle, now)}`]);
      await clock.sleep(Math.min(redrawMs, throttle.until - now));
    }
    terminal.show([]);
  };
}

function linesOf({ terminal }: CommandContext, { reconciliation: run, is_settled }: Reconciled): string[] {
  const mark = is_settled ? terminal.paint('green', '✔') : terminal.paint('yellow', '!');
  const headline = `${mark} ${outcomeOf(run)}.`;
  const lines = [headline, `Compared   ${run.account}, ${timeText(run.from)} to ${timeText(run.to)}`];
  for (const bucket of buckets) {
    const count = run.counts[bucket];
    if (count === 0) continue;
    lines.push(`${String(count).padStart(8)}   ${bucket.replaceAll('_', ' ')}: ${bucketMeanings[bucket]}`);
  }
  if (!run.wallets) lines.push(`Wallets    not compared: ${whyWithoutWallets(run)}`);
  for (const { currency, left, charged, unexplained } of run.wallets?.currencies ?? []) {
    if ([left, charged, unexplained].every((amount) => Number(amount) === 0)) continue;
    const explained = Number(unexplained) === 0 ? 'they agree' : `${moneyText(currency, unexplained)} not explained`;
    lines.push(
      `Wallets    ${moneyText(currency, left)} went out, ${moneyText(currency, charged)} was charged: ${explained}`,
    );
  }
  if (run.wallets?.next) lines.push(`Next       ${run.wallets.next}`);
  return lines;
}

/** The first open items, each with what to do about it. */
function openLines({ open_items, reconciliation: { open } }: Reconciled): string[] {
  const lines = open_items.flatMap(({ bucket, batch_id, row, reference, topup_id, next, notes }) => {
    const payment = [batch_id && `batch ${batch_id}, row ${row}`, reference, topup_id && `payment ${topup_id}`];
    const named = visible(payment.filter(Boolean).join(', '));
    const noted = notes.map(({ at, person, text }) => visible(`           ${timeText(at)}, ${person}: ${text}`));
    return [`Open       ${bucket.replaceAll('_', ' ')}: ${named}. ${next}`, ...noted];
  });
  const more = open - open_items.length;
  return more > 0 ? [...lines, `           and ${counted(more, 'more item')} in reconciliation.csv`] : lines;
}
