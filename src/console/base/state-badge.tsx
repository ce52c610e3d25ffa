import type { ReactNode } from 'react';
import { formatCount, formatPercent } from '../texts/format.ts';
import { t } from '../texts/i18n.ts';
import {
  type BatchState,
  batchStateText,
  batchTones,
  type RowState,
  rowStates,
  rowStateText,
  rowTones,
  type Tone,
} from './states.ts';

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge tone-${tone}`}>{children}</span>;
}

export function RowBadge({ state }: { state: RowState }) {
  return <Badge tone={rowTones[state]}>{t(rowStateText(state))}</Badge>;
}

/** What is needed to name the state of a batch. `rejection`: why it was rejected, by a person or as unreadable. */
type Labelled = { status: BatchState; rejection?: string | null; withdrawn_by?: string | null };

/**
 * How a person decided that a batch is not paid, before it was approved; null if nobody did. It ends as cancelled, and
 * people look for the decision.
 */
export function endedUnapproved({
  status,
  rejection = null,
  withdrawn_by = null,
}: Labelled): 'rejected' | 'withdrawn' | null {
  if (status !== 'cancelled' || rejection === null) return null;
  return withdrawn_by === null ? 'rejected' : 'withdrawn';
}

export function BatchBadge({ batch }: { batch: Labelled }) {
  const { status } = batch;
  const how = endedUnapproved(batch);
  return <Badge tone={batchTones[status]}>{t(how === null ? batchStateText(status) : `state.${how}`)}</Badge>;
}

/** Rows by state as a bar; `hasLegend` adds the numbers. */
export function RowBar({
  counts,
  hasLegend = false,
}: {
  counts: Readonly<Record<string, number>>;
  hasLegend?: boolean;
}) {
  const shown = rowStates.filter((state) => (counts[state] ?? 0) > 0);
  const total = shown.reduce((sum, state) => sum + (counts[state] ?? 0), 0);
  const labels = shown.map((state) =>
    t('base.labelled', { label: t(rowStateText(state)), value: formatCount(counts[state] ?? 0) }),
  );
  return (
    <div className="stack tight">
      <div className="bar" role="img" aria-label={labels.join(', ') || t('base.none')}>
        {shown.map((state) => (
          <span
            key={state}
            className={`tone-${rowTones[state]} is-${state}`}
            style={{ flex: `${counts[state]} 1 0` }}
          />
        ))}
      </div>
      {hasLegend && (
        <ul className="legend small">
          {shown.map((state) => (
            <li key={state}>
              <Badge tone={rowTones[state]}>{t(rowStateText(state))}</Badge>
              <span className="numbers">
                {formatCount(counts[state] ?? 0)}
                <span className="quiet"> {formatPercent((counts[state] ?? 0) / total)}</span>
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
