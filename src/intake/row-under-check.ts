import type { CatalogCache } from './catalog.ts';
import type { ColumnPlan } from './columns.ts';
import type { Field } from './fields.ts';
import type { Fault } from './phone.ts';
import type { Problem } from './problems.ts';
import type { IntakeSettings } from './settings.ts';

/** What checking a row depends on besides the row. */
export interface CheckContext {
  header: readonly string[];
  plan: ColumnPlan;
  /** The currency of all amounts, where the header says it. */
  amountCurrency: string | null;
  settings: IntakeSettings;
  catalog: CatalogCache;
  /** How amounts such as "1.234" are read: by a sign, not at all (`none`), or not known yet (`unknown`). */
  decimalSign: '.' | ',' | 'none' | 'unknown';
}

/** What must be known before the row can be checked. Checking it again then gives its verdict. */
export interface Needs {
  decimalSign: boolean;
  countries: Set<string>;
  networkIds: Set<number>;
}

/** One row being checked: where its cells are found, and what was found wrong. */
export interface RowUnderCheck {
  context: CheckContext;
  problems: Problem[];
  needs: Needs;
  /** The cell of a field, "" where the file has none. */
  cell(field: Field): string;
  blame(field: Field | null, fault: Fault): void;
}
