import type { RowState } from '../../core/state/row-state.ts';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import { counted, grouped } from '../text/counted-text.ts';
import type { Difference, ReportVersion, Totals } from '../versions/version-shape.ts';
import { localTimeText, sumsText } from './format.ts';

/**
 * "version 2, as of 2026-12-04 08:01:02 UTC". Reports written before the end of a batch, or without a key, are not a
 * version. The local time of `zone` is added, if any.
 */
export function versionText(
  { version, as_of }: Pick<ReportVersion, 'version' | 'as_of'>,
  zone: string | null = null,
): string {
  return `${version === null ? 'no version yet' : `version ${version}`}, as of ${localTimeText(as_of, zone)}`;
}

/** Whether the previous version is in the same folder. */
export function isPreviousThere({ previous }: Pick<ReportVersion, 'previous'>): boolean {
  return previous !== null && previous.manifest_sha256 !== null;
}

/** What differs from the previous version, in a sentence; null for a first version. */
export function differenceText({ previous, difference, difference_unknown }: ReportVersion): string | null {
  if (previous === null) return null;
  const before = `version ${previous.version} of ${previous.as_of.slice(0, 10)}`;
  if (difference === null) return `The differences from ${before} are not known: ${difference_unknown}.`;
  const { rows } = difference;
  const differ = `${rows === 0 ? 'No row differs' : `${counted(rows, 'row')} ${rows === 1 ? 'differs' : 'differ'}`} from ${before}`;
  const changes = changesOf(difference).map(({ name, before, after }) => `${name} ${before} → ${after}`);
  const said = lateSentence(difference);
  const parts = [...changes, ...(said === null ? [] : [said])];
  return `${differ}${parts.length === 0 ? '' : `: ${parts.join('; ')}`}.${difference.forgotten ? ' The people whom it paid are forgotten: columns that name people are not compared.' : ''}`;
}

/** How many late changes there were, without refunds, which show in the rows themselves. */
export function laterChanges({ late, columns }: Pick<Difference, 'late' | 'columns'>): number {
  const inRows = Math.min(late['row.refund'] ?? 0, columns.refunded_at ?? 0);
  return Object.values(late).reduce((sum, count) => sum + count, -inRows);
}

function lateSentence(difference: Difference): string | null {
  const changes = laterChanges(difference);
  if (changes === 0) return null;
  return `${counted(changes, 'later change')} by the service to rows that had ended ${changes === 1 ? 'is' : 'are'} in difference.csv`;
}

/** A count or sum that differs between two versions, as text. */
export interface Change {
  name: string;
  before: string;
  after: string;
}

/** The counts and sums that differ. */
export function changesOf({ before, after }: Pick<Difference, 'before' | 'after'>): Change[] {
  const all: [name: string, value: (totals: Totals) => string][] = [
    ...Object.entries(rowStateTexts).map(([state, { label }]): [string, (totals: Totals) => string] => [
      label,
      ({ rows }) => grouped(rows[state as RowState] ?? 0),
    ]),
    ['refunded rows', ({ refunded }) => grouped(refunded.rows)],
    ['paid out', ({ paid }) => sumsText(paid)],
    ['charged', ({ charged }) => sumsText(charged)],
    ['refunds', ({ refunded }) => sumsText(refunded.amounts)],
  ];
  return all
    .map(([name, value]) => ({ name, before: value(before), after: value(after) }))
    .filter((change) => change.before !== change.after);
}
