import { assert } from '../../core/basics/assert.ts';
import { otherContentRef } from '../../core/identity/ids.ts';
import { moneyText } from '../../core/money/money.ts';
import { canBeReleased } from '../../core/state/problem-table.ts';
import type { Field } from '../cells/fields.ts';
import { type Problem, shortened } from '../cells/problems.ts';
import type { ColumnPlan } from '../columns/columns.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { FileRow } from '../rows/file-rows.ts';
import type { Repeat } from './repeats.ts';

/** Everything that blaming a row for what it has in common with others depends on. */
export interface FileColumns {
  header: readonly string[];
  plan: ColumnPlan;
}

/** The verdict on a row that was checked by itself, with what it has in common with other rows of the file. */
export function comparedRow(
  row: FileRow,
  repeat: Repeat,
  { header, plan }: FileColumns,
  settings: IntakeSettings,
): FileRow {
  const problems = [...row.problems];
  let rowRef = row.row_ref;
  let isHeld = row.status === 'held';
  const blame = (field: Field, fault: Pick<Problem, 'code' | 'message' | 'suggestion'>) => {
    const index = plan[field];
    const column = index === undefined ? null : (header[index] ?? null);
    const value = index === undefined ? null : shortened((JSON.parse(row.input) as string[])[index] ?? '');
    problems.push({ ...fault, line: row.line, column, value });
  };
  if (repeat.referenceLine !== null) {
    blame('reference', {
      code: 'REFERENCE_TWICE',
      message: `Line ${row.line} and line ${repeat.referenceLine} have the same reference: it is unclear which of them to pay.`,
      suggestion: 'Give each its own reference, or delete the one that you do not want to pay.',
    });
  }
  let isValid = canBeReleased(problems);
  if (repeat.contentLine !== null && settings.duplicates !== 'allow') {
    const what = row.product_id === null ? 'amount' : 'product';
    const reject = settings.duplicates === 'reject';
    blame('phone_number', {
      code: 'DUPLICATE',
      message: `Line ${row.line} gives the same number the same ${what} as line ${repeat.contentLine}.`,
      suggestion: reject
        ? 'Delete the row that you do not want to pay.'
        : 'Release it if you want to pay both ("airbatch release"); skip it if not ("airbatch skip").',
    });
    if (reject) isValid = false;
    else isHeld = true;
  }
  if (repeat.isBeyondMaximum) {
    const { currency } = row;
    const most = settings.guards.numberMax[currency ?? ''];
    assert(currency !== null && most !== undefined, 'only an amount whose currency has a maximum is beyond it');
    blame('phone_number', {
      code: 'NUMBER_MAXIMUM',
      message: `With this row the number gets more than ${moneyText(currency, most)} from the file.`,
      suggestion:
        'Check all rows of this number. To pay this one, release it ("airbatch release"); if not, skip it ("airbatch skip").',
    });
    isHeld = true;
  }
  if (rowRef !== null && !row.has_reference && repeat.occurrence > 1) {
    rowRef = otherContentRef(rowRef, repeat.occurrence);
  }
  return {
    ...row,
    row_ref: rowRef,
    status: isValid ? (isHeld ? 'held' : 'ready') : 'invalid',
    problems,
    before: row.status,
  };
}
