import type { z } from 'zod';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { findPayments } from '../../operations/rows/find-payments.ts';
import { requestedText, sumsInBrackets, timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import type { CommandContext } from '../base/command.ts';
import { periodOf } from '../base/period.ts';
import { type Column, printTable } from '../base/table.ts';
import { call } from '../session/call.ts';
import { askedText } from '../text/asked-text.ts';

type Found = z.output<typeof findPayments.result>;

type Payment = Found['payments'][number];

const columns: readonly Column<Payment>[] = [
  { name: 'sent', cell: ({ sent_at }) => sent_at && timeText(sent_at) },
  { name: 'run', cell: ({ run_id }) => run_id },
  { name: 'batch', cell: ({ batch_id }) => batch_id },
  { name: 'row', align: 'right', cell: ({ row_no }) => String(row_no) },
  { name: 'name', cell: ({ person }) => person },
  { name: 'amount', align: 'right', cell: askedText },
  { name: 'status', cell: ({ status }) => rowStateTexts[status].label },
  { name: 'why', widthMax: 50, cell: whyText },
];

/** `airbatch find NUMBER`: what was sent to one phone number, in all batches. */
export async function execute(
  context: CommandContext,
  [number = '']: string[],
  { country, account, from, to }: { country?: string; account?: string; from?: string; to?: string },
): Promise<number> {
  const found = await call(context, findPayments, { number, country, account, ...periodOf({ from, to }) });
  const inTime = from === undefined && to === undefined ? '' : ' in this time';
  const none = `Nothing was sent to ${found.phone_number}${inTime}.`;
  printTable(context, columns, found.payments, { json: found, none });
  if (!context.json) for (const line of linesOf(found)) context.terminal.print(`${line}\n`);
  return 0;
}

function whyText({ counts_as_paid, status, reason, second_topup_id, refunded_at }: Payment): string {
  const isTakenBack = !counts_as_paid && status === 'completed';
  const isPaidLater = counts_as_paid && status !== 'completed';
  const sentences = [
    second_topup_id && `The service also has the payment ${second_topup_id}: perhaps paid twice.`,
    isTakenBack &&
      'The service said later that it was not paid, or no longer had the payment: it does not count as paid.',
    isPaidLater ? 'The service said later that it was, or may have been, paid: it counts as paid.' : reason,
    refunded_at && `Refunded ${timeText(refunded_at)}.`,
  ];
  return sentences.filter(Boolean).join(' ');
}

function linesOf(found: Found): string[] {
  const {
    phone_number,
    payments,
    from,
    paid_rows,
    paid,
    paid_products,
    paid_twice_rows,
    refunded_rows,
    open_rows,
    open,
    is_cut,
    forgotten_batches,
  } = found;
  const since = from === null ? '' : ` since ${timeText(from)}`;
  const sums = paid_rows === 0 ? 'nothing' : `${requestedText(paid, paid_products)} in ${counted(paid_rows, 'row')}`;
  const lines = payments.length === 0 ? [] : [`${phone_number} was paid ${sums}${since}.`];
  if (paid_twice_rows > 0)
    lines.push(`May have been paid twice: ${counted(paid_twice_rows, 'row')}; the sum above counts each once.`);
  if (refunded_rows > 0)
    lines.push(`Refunded later: ${counted(refunded_rows, 'row')}; the recipient may not have the airtime.`);
  if (open_rows > 0) lines.push(`${counted(open_rows, 'row')} without a result yet${sumsInBrackets(open)}.`);
  if (is_cut) lines.push('There are more payments: name a shorter time with --from and --to.');
  if (forgotten_batches > 0)
    lines.push(
      `${counted(forgotten_batches, 'batch', 'batches')} of this time no longer contain numbers, and are not included.`,
    );
  return lines;
}
