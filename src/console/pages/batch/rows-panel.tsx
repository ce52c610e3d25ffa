import { useDeferredValue, useState } from 'react';
import { Failure } from '../../base/failure.tsx';
import { FilterRow, NoneFits } from '../../base/filter-row.tsx';
import { Grid, type GridColumn } from '../../base/grid.tsx';
import { Loading } from '../../base/page.tsx';
import { RowBadge } from '../../base/state-badge.tsx';
import { type RowState, rowStates, rowStateText } from '../../base/states.ts';
import { None, Time } from '../../base/values.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { rowReason } from '../../texts/problem-text.ts';
import type { BatchStatus, Row } from './batch-queries.ts';
import { RowDialog } from './row-dialog.tsx';
import { Asked, Cost } from './row-values.tsx';
import { useAllRows, useFilteredRows } from './use-rows.ts';

/** What is left out where the columns do not fit, is in the dialog of the row. */
const columns = (): GridColumn<Row>[] => [
  {
    ...{ id: 'row', label: t('rows.row'), least: 52, isNumber: true, spare: 3 },
    cell: ({ row_no }) => formatCount(row_no),
  },
  { ...{ id: 'person', label: t('rows.person'), least: 104, share: 1 }, cell: ({ person }) => person ?? <None /> },
  { ...{ id: 'amount', label: t('rows.amount'), least: 96, isNumber: true }, cell: (row) => <Asked row={row} /> },
  {
    ...{ id: 'state', label: t('base.state'), least: 128, isWhole: true },
    cell: ({ status }) => <RowBadge state={status} />,
  },
  {
    ...{ id: 'phone', label: t('rows.phone'), least: 124, isWhole: true, spare: 2 },
    cell: ({ phone_number }) => phone_number ?? <None />,
  },
  {
    ...{ id: 'cost', label: t('batches.column.charged'), least: 112, isNumber: true, spare: 4 },
    cell: (row) => <Cost row={row} />,
  },
  {
    ...{ id: 'sent', label: t('rows.sent'), least: 192, isWhole: true, spare: 5 },
    cell: ({ sent_at }) => <Time at={sent_at} />,
  },
  { ...{ id: 'why', label: t('base.reason'), least: 160, share: 1, spare: 1 }, cell: rowReason },
];

/** The rows of a batch: any number of them, by state, or found by name, reference or number. */
export function RowsPanel({ batch }: { batch: BatchStatus }) {
  const [state, setState] = useState<RowState | 'all'>('all');
  const [search, setSearch] = useState('');
  const [opened, setOpened] = useState<Row | null>(null);
  const find = useDeferredValue(search.trim());
  const isFiltered = state !== 'all' || find !== '';
  const { batch_id, counts } = batch;
  const total = Object.values(counts).reduce((sum, one) => sum + one, 0);
  const all = useAllRows(batch_id, total, !isFiltered);
  const filtered = useFilteredRows(batch_id, { state, find }, isFiltered);
  const rows = isFiltered ? filtered : all;
  const options = [
    { value: 'all' as const, label: `${t('rows.all')} (${formatCount(total)})` },
    ...rowStates
      .filter((one) => (counts[one] ?? 0) > 0 || one === state)
      .map((value) => ({ value, label: `${t(rowStateText(value))} (${formatCount(counts[value] ?? 0)})` })),
  ];
  return (
    <div className="card flush">
      <div className="card-head">
        <FilterRow
          choiceLabel={t('base.state')}
          choice={state}
          options={options}
          onPick={setState}
          searchLabel={t('rows.find')}
          search={search}
          onSearch={setSearch}
        />
      </div>
      {rows.error !== null && <Failure error={rows.error} onRetry={rows.retry} />}
      {rows.isLoading ? (
        <Loading />
      ) : rows.count === 0 ? (
        <NoneFits
          title={t('rows.none')}
          onClear={() => {
            setState('all');
            setSearch('');
          }}
        />
      ) : (
        <Grid label={t('rows.title')} columns={columns()} {...rows} onOpen={setOpened} />
      )}
      {opened !== null && <RowDialog batchId={batch_id} row={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}
