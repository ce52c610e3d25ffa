import type { AmountReading } from '../cells/amount.ts';
import { noteSign, type SignEvidence } from '../cells/amount-signs.ts';
import type { Field } from '../cells/fields.ts';
import type { Fault } from '../cells/phone.ts';
import { type Problem, shortened } from '../cells/problems.ts';
import type { ColumnPlan } from '../columns/columns.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { FileEvidence } from '../table/file-evidence.ts';
import type { CatalogCache } from './network-catalog.ts';

/** What the check of a row needs in addition to the row. */
export interface CheckContext {
  header: readonly string[];
  plan: ColumnPlan;
  /** What the header of the amount column says about the currency of all amounts (`PlannedColumns`). */
  amountCurrency: string | null;
  amountSign: string | null;
  settings: IntakeSettings;
  catalog: CatalogCache;
  /** The delimiter between the cells of the file; null for a workbook. */
  delimiter: string | null;
  /** Whether plain numbers are as a workbook stored them. */
  isStored: boolean;
  /** What the whole file shows; null until the first row needs it. */
  evidence: FileEvidence | null;
  /** What the amounts of the rows checked so far show. */
  signs: SignEvidence;
  /**
   * Network names that are not the service's own, each with the network that it stands for and the first line that uses
   * it.
   */
  otherNames: Map<string, { name: string; network: string; line: number }>;
}

/** What must be loaded before the row can be checked. Checking the row again then gives its result. */
export interface Needs {
  evidence: boolean;
  countries: Set<string>;
  networkIds: Set<number>;
}

/** One row being checked: its cells by their meaning, and what is wrong with them. */
export interface RowUnderCheck {
  readonly context: CheckContext;
  readonly needs: Needs;
  /** The cell of each field; "" if the file has no such column. */
  readonly cell: Readonly<Record<Field, string>>;
  /**
   * The cell to the right of the amount, which a comma may have split off; "" if that cannot be. A reference or message
   * there may be the rest of the amount only if the row has more cells than the header.
   */
  cellAfterAmount(): string;
  /** Notes what the row's amount shows about the decimal sign of the file. */
  noteSign(reading: AmountReading): void;
  /** Notes that the row uses a network name that is not the service's own. */
  noteOtherName(name: string, network: string): void;
  blame(field: Field | null, fault: Fault): void;
}

/**
 * One object for all rows of a file, one after the other. A file has many rows, and a new object for each of them would
 * soon be garbage.
 */
export interface RowsUnderCheck extends RowUnderCheck {
  /** The problems of the row that was taken last. */
  problems(): Problem[];
  /** Starts the check of the next row. */
  take(cells: readonly string[], line: number): void;
}

/** More notes than a person reads. */
const otherNamesMax = 20;

const noProblems: Problem[] = [];

export function makeRowsUnderCheck(context: CheckContext, needs: Needs): RowsUnderCheck {
  const { header, plan, isStored } = context;
  const afterAmount = splitOffAt(context);
  const isText = afterAmount !== undefined && [plan.reference, plan.sms_message].includes(afterAmount);
  let cells: readonly string[] = [];
  let line = 0;
  let problems = noProblems;
  const cellAt = (index: number | undefined): string => (index === undefined ? '' : (cells[index] ?? ''));
  // Field by field: a loop over the field names takes several times as long, and this runs for every row.
  const cell: Record<Field, string> = {
    phone_number: '',
    country: '',
    network_id: '',
    amount: '',
    currency: '',
    product_id: '',
    reference: '',
    sms_message: '',
  };
  return {
    context,
    needs,
    cell,
    problems: () => problems,
    take(ofRow, itsLine) {
      cells = ofRow;
      line = itsLine;
      problems = noProblems;
      cell.phone_number = cellAt(plan.phone_number);
      cell.country = cellAt(plan.country);
      cell.network_id = cellAt(plan.network_id);
      cell.amount = cellAt(plan.amount);
      cell.currency = cellAt(plan.currency);
      cell.product_id = cellAt(plan.product_id);
      cell.reference = cellAt(plan.reference);
      cell.sms_message = cellAt(plan.sms_message);
    },
    cellAfterAmount: () => (isText && cells.length <= header.length ? '' : cellAt(afterAmount)),
    noteSign: (reading) => noteSign(context.signs, reading, { cell: cell.amount, line, isStored }),
    noteOtherName: (name, network) => {
      const { otherNames } = context;
      if (otherNames.size < otherNamesMax && !otherNames.has(`${name} ${network}`))
        otherNames.set(`${name} ${network}`, { name, network, line });
    },
    blame(field, { code, message, suggestion, values }) {
      const index = field === null ? undefined : plan[field];
      const column = index === undefined ? null : (header[index] ?? null);
      const value = index === undefined ? null : shortened(cellAt(index));
      if (problems === noProblems) problems = [];
      problems.push({ code, line, column, value, message, suggestion, ...(values === undefined ? {} : { values }) });
    },
  };
}

/** The column in which the rest of an amount would be; the check of any other field refuses such a rest. */
function splitOffAt({ plan, delimiter }: CheckContext): number | undefined {
  if (plan.amount === undefined || delimiter !== ',') return undefined;
  const next = plan.amount + 1;
  const { reference: _, sms_message: __, ...checked } = plan;
  return Object.values(checked).includes(next) ? undefined : next;
}
