import { rowStates } from '../chain/chain-facts.ts';
import type { ResultRow } from '../input/rows.ts';
import { timeForm } from './summary.ts';

const whole = /^(?:0|[1-9]\d*)$/;
const decimal = /^(?:0|[1-9]\d*)(?:\.\d+)?$/;
const orNothing = (form: RegExp) => new RegExp(`^$|${form.source}`);

/**
 * The one form of each cell with a number, a time or a state. In another form, two readers might read two different
 * values.
 */
const forms: readonly (readonly [column: string, form: RegExp])[] = [
  ['status', new RegExp(`^(?:${rowStates.join('|')})$`)],
  ['network_id', orNothing(whole)],
  ['amount', orNothing(decimal)],
  ['generation', /^[1-9]\d*$/],
  ['attempts', whole],
  ['cost', orNothing(decimal)],
  ['first_sent_at', orNothing(timeForm)],
  ['completed_at', orNothing(timeForm)],
  ['refunded_at', orNothing(timeForm)],
  ['refund_amount', orNothing(decimal)],
];

/** The columns of a row in another form. `previousLine`: the line of the row before in its file. */
export function malformedCells(row: ResultRow, previousLine: number): string[] {
  const found = forms.filter(([column, form]) => !form.test(row[column] ?? '') && row[column] !== undefined);
  const columns = found.map(([column]) => column);
  const { line } = row;
  if (line !== undefined && !(whole.test(line) && Number(line) > previousLine)) columns.push('line');
  return columns;
}
