import { RowBar } from '../../base/state-badge.tsx';
import type { Column } from '../../base/table.tsx';
import { Sums } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';

interface BatchNumbers {
  counts: Readonly<Record<string, number>>;
  charged: Readonly<Record<string, string>>;
}

/** The column of a table of batches that shows the rows of each by state. */
export function progressColumn(): Column<Pick<BatchNumbers, 'counts'>> {
  return {
    id: 'progress',
    label: t('batches.column.progress'),
    cell: ({ counts }) => (
      <div className="progress-cell">
        <RowBar counts={counts} />
      </div>
    ),
  };
}

/** The column of a table of batches that shows what each has charged. */
export function chargedColumn(): Column<Pick<BatchNumbers, 'charged'>> {
  return {
    id: 'charged',
    label: t('batches.column.charged'),
    isNumber: true,
    cell: ({ charged }) => <Sums sums={charged} />,
  };
}
