import type { z } from 'zod';
import { moneyText } from '../../core/money/money.ts';
import { planPayout } from '../../operations/service/plan-payout.ts';
import { durationText, sumsText, timeText } from '../../reports/sentences/format.ts';
import { counted, grouped } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { pairs } from '../base/pairs.ts';
import { wholeNumber } from '../base/whole-number.ts';
import { call } from '../session/call.ts';
import { printRehearsal } from '../session/rehearsal.ts';

type Planned = z.output<typeof planPayout.result>;

/** `airbatch plan ROWS`: what a payout of so many rows would take. */
export async function execute(
  context: CommandContext,
  [count = '']: string[],
  { account, sum }: { account?: string; sum?: string[] },
): Promise<number> {
  const rows = wholeNumber('<rows>', count, 1) ?? 1;
  const sums = sum && pairs('--sum', 'KES=4000000', sum);
  const planned = await call(context, planPayout, { rows, account, sums });
  printRehearsal(context.terminal, planned.is_rehearsal);
  answer(context, planned, linesOf(planned).join('\n'));
  return 0;
}

function linesOf(planned: Planned): string[] {
  const { rows, sums, usual_of_rows: usual, limit, alone_ms, rows_waiting, done_at, approval } = planned;
  const pace = limit.rows === null ? '' : ` at ${grouped(limit.rows)} rows in ${durationText(limit.window_ms)}`;
  const behind =
    rows_waiting === 0 ? 'nothing else is sent' : `${counted(rows_waiting, 'row')} of other batches wait, too`;
  const end = done_at === null ? 'not known: the account cannot send now' : `${timeText(done_at)}; ${behind}`;
  const from = usual === null ? '' : `, as in the last ${counted(usual, 'paid row')}`;
  return [
    `To pay     ${counted(rows, 'row')}: ${usual === 0 ? 'the account has not paid yet: name a sum with --sum' : `${sumsText(sums)}${from}`}`,
    `Time       ${durationText(alone_ms)}${pace}`,
    `If now     done by ${end}`,
    ...planned.wallets.flatMap(walletLines),
    ...(planned.cost_unknown.length === 0
      ? []
      : [`Not known  what ${planned.cost_unknown.join(', ')} costs: the account has not paid in it lately`]),
    `Approval   ${approval === null ? 'no second person' : `${counted(approval.approvers, 'person', 'people')} other than the submitter: ${approval.why}`}`,
    ...planned.exceeded.map(({ guard, currency, most, asked }) =>
      currency === null
        ? `Rejected   a file may have ${grouped(Number(most))} rows (${guard})`
        : `Rejected   a file may ask for ${moneyText(currency, most)}, not ${moneyText(currency, asked)} (${guard})`,
    ),
  ];
}

function walletLines({ currency, balance, cost, others, missing }: Planned['wallets'][number]): string[] {
  if (Number(cost) === 0 && missing === null) return [];
  const queued = Number(others) === 0 ? '' : `, other batches ${moneyText(currency, others)}`;
  const end = missing === null ? 'it is enough' : `${moneyText(currency, missing)} is missing`;
  return [`Money      about ${moneyText(currency, cost)}${queued}; balance ${moneyText(currency, balance)}: ${end}`];
}
