import type { z } from 'zod';
import { maySend } from '../../core/state/batch-state.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { visible } from '../../core/text/visible.ts';
import { type Clock, systemClock } from '../../core/time/clock.ts';
import { interruptedExitCode } from '../../operations/base/exit-codes.ts';
import { showProgress } from '../../operations/batches/show-progress.ts';
import { durationText } from '../../reports/sentences/format.ts';
import { counted, grouped } from '../../reports/text/counted-text.ts';
import { bar } from '../base/bar.ts';
import type { CommandContext } from '../base/command.ts';

import { type Call, withCalls } from '../session/call.ts';
import { onInterrupt } from '../session/interrupt.ts';
import { finishLine } from '../text/finish-line.ts';
import { waitLine } from '../text/ways.ts';

/** How often the screen is redrawn, and how often a line is written if nobody watches. */
const redrawMs = 1_000;
const lineMs = 10_000;

type Progress = z.output<typeof showProgress.result>['batches'][number];

/** Shows the progress of the batches again and again, until all of them have ended or until Ctrl-C. */
export function watchStatus(context: CommandContext, batchId: string | undefined): Promise<number> {
  return withCalls(context, (call) => watchBy(context, call, systemClock, batchId));
}

export async function watchBy(
  { terminal, json }: CommandContext,
  call: Call,
  clock: Pick<Clock, 'sleep'>,
  batch_id: string | undefined,
): Promise<number> {
  const stopping = new AbortController();
  const interrupt = onInterrupt(() => stopping.abort());
  const isScreen = terminal.isInteractive && !json;
  // Batches that ended during this command. A screen keeps showing them below the others; other outputs show them once.
  let followed = batch_id === undefined ? [] : [batch_id];
  try {
    while (!stopping.signal.aborted) {
      const { batches } = await call(showProgress, { batch_id, followed });
      if (json) for (const one of batches) terminal.print(jsonLine(one));
      else if (isScreen) terminal.show(batches.flatMap((one) => [...linesOf(one), '']));
      else for (const one of batches) terminal.print(`${linesOf(one).join(' · ').replace(/\s+/g, ' ')}\n`);
      const open = batches.filter(({ status }) => maySend(status));
      if (open.length === 0) {
        if (!json && batch_id === undefined) terminal.print('Every batch of this ledger is finished.\n');
        return 0;
      }
      followed = (isScreen ? batches : open).map((one) => one.batch_id);
      await clock.sleep(terminal.isInteractive || json ? redrawMs : lineMs, stopping.signal);
    }
    return interruptedExitCode;
  } finally {
    terminal.keep();
    interrupt.dispose();
  }
}

function linesOf(one: Progress): string[] {
  const held = one.held > 0 ? `, ${grouped(one.held)} held` : '';
  const doubts = one.in_doubt > 0 ? `, ${grouped(one.in_doubt)} in doubt` : '';
  const failed = one.failed > 0 ? `, ${grouped(one.failed)} failed` : '';
  const lines = [
    `${one.batch_id} (run ${one.run_id}, account ${one.account})`,
    ` ${bar(one.settled, one.rows)} ${grouped(one.settled)} of ${counted(one.rows, 'row')} settled${held}${doubts}${failed}`,
  ];
  const pace = paceText(one);
  const left = one.left_ms === null || one.left_ms < 1_000 ? '' : `all sent in about ${durationText(one.left_ms)}`;
  const waits = one.waits_for === null ? '' : `waits for ${waitLine(one.waits_for, one.waits_ways, one.batch_id)}`;
  const details = [one.stands ?? '', pace, left, waits].filter(Boolean).join('; ');
  const finish = finishLine(one);
  if (finish !== null) lines.push(` ${finish}`);
  return (details ? [...lines, ` ${details}`] : lines).map(visible);
}

function paceText({ rate_used: used, rate_allowed: allowed, rate_of, window_ms: windowMs }: Progress): string {
  if (used === null || allowed === null || windowMs === null) return '';
  const last = windowMs === 60_000 ? 'minute' : durationText(windowMs);
  const window = rate_of === 'own' ? `the last ${last}` : `this window of ${durationText(windowMs)}`;
  return `${grouped(used)} of ${grouped(allowed)} payments in ${window}`;
}
