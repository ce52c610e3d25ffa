import { noEvidence } from '../cells/amount-signs.ts';
import { planColumns } from '../columns/columns.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { FromSheet } from '../file/source.ts';
import { checkRow } from '../rows/check-row.ts';
import type { CheckedRow } from '../rows/file-rows.ts';
import { type Catalog, cacheCatalog } from '../rows/network-catalog.ts';
import { type CheckContext, makeRowsUnderCheck, type Needs } from '../rows/row-under-check.ts';
import type { FileEvidence } from '../table/file-evidence.ts';

export interface OneRowOptions {
  header: readonly string[];
  /** The first rows below the header. */
  sample: readonly (readonly string[])[];
  settings: IntakeSettings;
  delimiter: string;
  fromSheet: FromSheet | null;
  catalog: Catalog | null;
  /** What the whole file shows about its amounts; it is asked for at most once. */
  findEvidence: (amountColumn: number) => Promise<FileEvidence>;
}

/** Checks single rows of a file, as the check of the whole file would check each by itself. */
export interface RowCheck {
  context: CheckContext;
  check(cells: readonly string[], place: { rowNo: number; line: number }): Promise<CheckedRow>;
}

/** Throws `FILE_REJECTED` if the columns of the file are not clear. */
export function makeRowCheck(options: OneRowOptions): RowCheck {
  const { header, sample, settings, delimiter, fromSheet } = options;
  const { understood: _, ...columns } = planColumns(header, settings.columns, settings, {
    sample,
    hidden: new Set(fromSheet?.hiddenColumns),
  });
  const catalog = cacheCatalog(settings.catalog === 'check' ? options.catalog : null);
  const context: CheckContext = {
    ...{ header, ...columns, settings, catalog, delimiter, isStored: fromSheet !== null },
    ...{ evidence: null, signs: noEvidence(), otherNames: new Map() },
  };
  const needs: Needs = { evidence: false, countries: new Set(), networkIds: new Set() };
  const row = makeRowsUnderCheck(context, needs);
  return {
    context,
    async check(cells, { rowNo, line }) {
      for (;;) {
        const checked = checkRow(row, cells, { rowNo, line, endsFile: false, doubt: null });
        if (!needs.evidence && needs.countries.size === 0 && needs.networkIds.size === 0) return checked;
        const { evidence, countries, networkIds } = needs;
        const wanted = { countries: [...countries], networkIds: [...networkIds] };
        needs.evidence = false;
        countries.clear();
        networkIds.clear();
        if (evidence) context.evidence ??= await options.findEvidence(context.plan.amount ?? -1);
        await catalog.load(wanted.countries, wanted.networkIds);
      }
    },
  };
}
