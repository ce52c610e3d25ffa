import type { AmountReading } from '../cells/amount.ts';
import { noteSign, type SignEvidence } from '../cells/amount-signs.ts';
import type { Field } from '../cells/fields.ts';
import type { Fault } from '../cells/phone.ts';
import { type Problem, shortened } from '../cells/problems.ts';
import type { ColumnPlan } from '../columns/columns.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { FileEvidence } from '../table/file-evidence.ts';
import type { CatalogCache } from './network-catalog.ts';

/** What checking a row depends on besides the row. */
export interface CheckContext {
  header: readonly string[];
  plan: ColumnPlan;
  /** What the header of the amounts says of the currency of all of them (`PlannedColumns`). */
  amountCurrency: string | null;
  amountSign: string | null;
  settings: IntakeSettings;
  catalog: CatalogCache;
  /** How the file is stored: between which characters its cells stand (null: it is a workbook). */
  delimiter: string | null;
  /** What the whole file shows; null as long as no row has asked for it. */
  evidence: FileEvidence | null;
  /** What the amounts of the rows checked so far show. */
  signs: SignEvidence;
  /** Network names that are not the service's own, with the network they were read as and the first such line. */
  otherNames: Map<string, { name: string; network: string; line: number }>;
}

/** What must be known before the row can be checked. Checking it again then gives its verdict. */
export interface Needs {
  evidence: boolean;
  countries: Set<string>;
  networkIds: Set<number>;
}

/** One row being checked: its cells by what they mean, and what is wrong with them. */
export interface RowUnderCheck {
  readonly context: CheckContext;
  readonly needs: Needs;
  /** The cell of each field, "" where the file has none. */
  readonly cell: Readonly<Record<Field, string>>;
  /** The cell to the right of the amount, "" where a field reads it, or where no comma can have parted the two. */
  cellAfterAmount(): string;
  /** Notes what the row's amount shows of the decimal sign of all. */
  noteSign(reading: AmountReading): void;
  /** Notes that the row calls its network by a name that is not the service's. */
  noteOtherName(name: string, network: string): void;
  blame(field: Field | null, fault: Fault): void;
}

/**
 * One object for all rows of a file, one after the other: they are many, and what is made for each of them is garbage
 * soon.
 */
export interface RowsUnderCheck extends RowUnderCheck {
  /** What was found wrong with the row that was taken last. */
  problems(): Problem[];
  /** Takes the next row. */
  take(cells: readonly string[], line: number): void;
}

/** More notes than a person reads. */
const otherNamesMax = 20;

const noProblems: Problem[] = [];

export function makeRowsUnderCheck(context: CheckContext, needs: Needs): RowsUnderCheck {
  const { header, plan } = context;
  const afterAmount = unreadAfterAmount(context);
  const isStored = context.delimiter === null;
  let cells: readonly string[] = [];
  let line = 0;
  let problems = noProblems;
  const cellAt = (index: number | undefined): string => (index === undefined ? '' : (cells[index] ?? ''));
  // Field by field: going through their names takes several times as long, and this is done for every row.
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
    cellAfterAmount: () => cellAt(afterAmount),
    noteSign: (reading) => noteSign(context.signs, reading, { cell: cell.amount, line, isStored }),
    noteOtherName: (name, network) => {
      const { otherNames } = context;
      if (otherNames.size < otherNamesMax && !otherNames.has(`${name} ${network}`))
        otherNames.set(`${name} ${network}`, { name, network, line });
    },
    blame(field, { code, message, suggestion }) {
      const index = field === null ? undefined : plan[field];
      const column = index === undefined ? null : (header[index] ?? null);
      const value = index === undefined ? null : shortened(cellAt(index));
      if (problems === noProblems) problems = [];
      problems.push({ code, line, column, value, message, suggestion });
    },
  };
}

function unreadAfterAmount({ plan, delimiter }: CheckContext): number | undefined {
  if (plan.amount === undefined || delimiter !== ',') return undefined;
  const next = plan.amount + 1;
  return Object.values(plan).includes(next) ? undefined : next;
}
