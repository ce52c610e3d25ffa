import cliProgress from 'cli-progress';
import { countRows } from '../ledger/batches.ts';
import { durationText } from '../reports/format.ts';
import type { OpenAccount } from '../runtime/account.ts';
import type { Session } from './session.ts';
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

/** Shows how far the batches are, from what the ledger says: nothing counts as done before it is durable. */
export function showProgress(
  terminal: Terminal,
  session: Session,
  account: OpenAccount,
  batchIds: readonly string[],
): { end(): Promise<void> } {
  const stop = new AbortController();
  const done = terminal.isInteractive
    ? drawBar(session, account, batchIds, stop.signal)
    : writeLines(terminal, session, account, batchIds, stop.signal);
  return {
    async end() {
      stop.abort();
      await done;
    },
  };
}

async function drawBar(
  session: Session,
  account: OpenAccount,
  batchIds: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const bar = new cliProgress.SingleBar({
    format: ' {bar} {value} of {total} rows settled{details}',
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 24,
    hideCursor: true,
    // It would end the bar at the first Ctrl-C, while what is under way still comes in.
    gracefulExit: false,
    clearOnComplete: false,
    fps: 10,
    stream: process.stderr,
  });
  const first = await tally(session, batchIds);
  bar.start(first.payable, settled(first), { details: '' });
  while (!signal.aborted) {
    await session.clock.sleep(redrawMs, signal);
    const now = await tally(session, batchIds);
    bar.setTotal(now.payable);
    bar.update(settled(now), { details: details(now, account, session.clock.now(), signal.aborted) });
  }
  bar.stop();
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
