import { changesOf, differenceText, isPreviousThere, laterChanges } from '../sentences/version-text.ts';
import { counted } from '../text/counted-text.ts';
import type { DifferenceLine } from '../versions/difference.ts';
import type { ReportVersion } from '../versions/version-shape.ts';
import { type Html, html } from './html.ts';

/** What changed since the previous version: a sentence, and the counts and sums that differ. */
export function differenceSection(version: ReportVersion): Html {
  const sentence = differenceText(version);
  if (sentence === null) return html``;
  const { difference } = version;
  const changes = difference === null ? [] : changesOf(difference);
  const { older, newer } = namesOf(version);
  return html`<section><h2>Since ${older.toLowerCase()}</h2><p>${sentence}</p>${
    changes.length > 0
      ? html`<table class="stack"><thead><tr><th></th><th class="n">${older}</th><th class="n">${newer}</th></tr></thead><tbody>${changes.map(
          ({ name, before, after }) =>
            html`<tr><td>${name}</td><td class="n" data-name="${older}">${before}</td><td class="n" data-name="${newer}">${after}</td></tr>`,
        )}</tbody></table>`
      : null
  }${isPreviousThere(version) ? html`<p class="soft small">${older} is kept in the folder versions next to this page.</p>` : null}</section>`;
}

/** The first lines of difference.csv. */
export function differingRowsSection(version: ReportVersion, lines: readonly DifferenceLine[]): Html {
  const { difference } = version;
  if (difference === null || lines.length === 0) return html``;
  const { older, newer } = namesOf(version);
  const shown = lines.filter((line) => !isShownInRow(line, lines) && !machineColumns.has(line[3] ?? ''));
  if (shown.length === 0) return html``;
  return html`<section class="long"><h2>What differs from ${older.toLowerCase()}, row by row</h2><table class="stack"><thead><tr><th class="n">Row</th><th>What</th><th>${older}</th><th>${newer}</th></tr></thead><tbody>${shown.map(
    ([row = '', , , column = '', before = '', after = '']) =>
      html`<tr><td class="n" data-name="Row">${row}</td><td>${columnText(column)}</td><td data-name="${older}">${before}</td><td data-name="${newer}">${after}</td></tr>`,
  )}</tbody></table>${moreLine(difference, shown.length)}</section>`;
}

/** Keys and ids are left out here; difference.csv has them. */
const machineColumns = new Set([
  'idempotency_key',
  'topup_id',
  'reference',
  'provider_reference',
  'row_ref',
  'service_status',
]);

function namesOf({ previous, version }: ReportVersion): { older: string; newer: string } {
  return { older: `Version ${previous?.version}`, newer: version === null ? 'Now' : `Version ${version}` };
}

/** The name of a column as in results.csv; a late change has no column. */
function columnText(column: string): string {
  return lateNames[column] ?? column.replaceAll('_', ' ');
}

const lateNames: Record<string, string> = {
  'row.refund': 'the service refunded money',
  'row.contradicted': 'the service contradicts the ledger',
  'row.changed_late': 'changed when read again',
};

/** For a refund, the cells of the row already say when and how much. */
function isShownInRow([row, , , column]: DifferenceLine, lines: readonly DifferenceLine[]): boolean {
  return column === 'row.refund' && lines.some(([other, , , cell]) => other === row && cell === 'refunded_at');
}

function moreLine(difference: NonNullable<ReportVersion['difference']>, shown: number): Html | null {
  const { columns } = difference;
  const all = Object.values(columns).reduce((sum, count) => sum + count, laterChanges(difference));
  if (all <= shown) return null;
  return html`<p class="soft small">and ${counted(all - shown, 'more line')}: difference.csv has them all.</p>`;
}
