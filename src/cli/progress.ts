import cliProgress from 'cli-progress';
import { countRows } from '../ledger/batches.ts';
import { durationText } from '../reports/format.ts';
import type { OpenAccount } from '../runtime/account.ts';
import type { Session } from '../runtime/session.ts';
import type { Terminal } from './terminal.ts';

/** How often the screen is brought up to date, and how often a line is written where nobody watches. */
const redrawMs = 200;
const lineMs = 30_000;

interface Tally {
  /** Rows that are to be paid, in whatever state they are now. */
  payable: number;
  completed: number;
  failed: number;
  /** Accepted by the service and followed, or in doubt. */
  underWay: number;
  /** Not sent yet. */
  waiting: number;
}

export interface Progress {
  /** Leaves the bar as it is, at once, and goes to the next line: something else is about to be said. */
  leave(): void;
  end(): Promise<void>;
}

/** Shows how far the batches are, from what the ledger says: nothing counts as done before it is durable. */
export function showProgress(
  terminal: Terminal,
  session: Session,
  account: OpenAccount,
  batchIds: readonly string[],
): Progress {
  const stop = new AbortController();
  const bar = terminal.isInteractive ? makeBar() : null;
  const done = bar
    ? drawBar(terminal, bar, session, account, batchIds, stop.signal)
    : writeLines(terminal, session, account, batchIds, stop.signal);
  return {
    leave() {
      if (!bar) return;
      bar.stop();
      terminal.setBar(false);
      stop.abort();
    },
    async end() {
      stop.abort();
      await done;
    },
  };
}

function makeBar(): cliProgress.SingleBar {
  return new cliProgress.SingleBar({
    format: ' {bar} {value} of {total} rows settled{details}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    // Whoever reacts to Ctrl-C here also ends the bar.
    gracefulExit: false,
    clearOnComplete: false,
    fps: 10,
    stream: process.stderr,
  });
}

async function drawBar(
  terminal: Terminal,
  bar: cliProgress.SingleBar,
  session: Session,
  account: OpenAccount,
  batchIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const first = await tally(session, batchIds);
  if (first.payable === 0) return;
  bar.start(first.payable, settled(first), { details: '' });
  terminal.setBar(true);
  while (!signal.aborted) {
    await session.clock.sleep(redrawMs, signal);
    const now = await tally(session, batchIds);
    if (!bar.isActive) return;
    bar.setTotal(now.payable);
    bar.update(settled(now), { details: details(now, account, session.clock.now(), signal.aborted) });
  }
  bar.stop();
  terminal.setBar(false);
}

async function writeLines(
  terminal: Terminal,
  session: Session,
  account: OpenAccount,
  batchIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await session.clock.sleep(lineMs, signal);
    const now = await tally(session, batchIds);
    const end = signal.aborted;
    if (now.payable === 0) continue;
    terminal.error(
      `${settled(now)} of ${now.payable} rows settled${details(now, account, session.clock.now(), end)}\n`,
    );
  }
}

function settled({ completed, failed }: Tally): number {
  return completed + failed;
}

async function tally({ db }: Session, batchIds: readonly string[]): Promise<Tally> {
  const sum: Tally = { payable: 0, completed: 0, failed: 0, underWay: 0, waiting: 0 };
  for (const batchId of batchIds) {
    const counts = await countRows(db, batchId);
    const count = (state: string) => counts.get(state) ?? 0;
    sum.completed += count('completed');
    sum.failed += count('failed');
    sum.underWay += count('sending') + count('accepted') + count('in_doubt');
    sum.waiting += count('ready');
  }
  sum.payable = sum.completed + sum.failed + sum.underWay + sum.waiting;
  return sum;
}

function details(now: Tally, account: OpenAccount, at: number, ended: boolean): string {
  const parts: string[] = [];
  if (now.failed > 0) parts.push(`${now.failed} failed`);
  if (ended) return parts.map((part) => ` · ${part}`).join('');
  if (now.waiting > 0) {
    const { limit, windowMs, nextAt } = account.limiter.usage('creation');
    const left = Math.floor(now.waiting / limit) * windowMs + Math.max(0, nextAt - at);
    parts.push(`${now.waiting} to send${left >= 1_000 ? `, about ${durationText(left)} left` : ''}`);
  }
  if (now.underWay > 0) parts.push(`${now.underWay} under way`);
  return parts.map((part) => ` · ${part}`).join('');
}
