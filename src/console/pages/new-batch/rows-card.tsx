import { useDeferredValue, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Failure } from '../../base/failure.tsx';
import { FilterRow, NoneFits } from '../../base/filter-row.tsx';
import { Loading } from '../../base/page.tsx';
import { toast } from '../../base/toast.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { stepText } from '../draft-changes/changes-card.tsx';
import type { Draft, DraftRow } from './draft-queries.ts';
import { MendingGrid } from './mending-grid.tsx';
import type { DraftEditor } from './use-draft-editor.ts';
import { allRows, type RowFilter, useDraftRows } from './use-draft-rows.ts';

interface RowsProps {
  draft: Draft;
  editor: DraftEditor;
  filter: RowFilter;
  onFilter: (filter: RowFilter) => void;
  isChecking: boolean;
}

const states = ['invalid', 'held', 'ready', 'skipped', 'excluded'] as const;
type State = (typeof states)[number];

/** The rows of the draft, which people correct cell by cell. */
export function RowsCard({ draft, editor, filter, onFilter, isChecking }: RowsProps) {
  const [search, setSearch] = useState('');
  const text = useDeferredValue(search.trim());
  const asked = { ...filter, text };
  const { person } = useSession();
  const rows = useDraftRows(draft.draft_id, asked, draft.version);
  const edit = async (change: Parameters<DraftEditor['edit']>[0]) => {
    if (change.cells) rows.putCells(change.cells);
    try {
      rows.put(await editor.edit(change));
    } catch {
      // The server keeps the earlier text, so the message shows what the person typed.
      rows.reread();
      for (const { value } of change.cells?.slice(0, 1) ?? []) toast(t('draft.cell_lost', { value }));
    }
  };
  // The last step may be a colleague's, which nobody undoes without knowing it.
  const move = async (way: 'undo' | 'redo') => {
    const moved = await editor.move(way).catch(() => null);
    if (way === 'undo' && moved !== null && moved.done_by !== person)
      toast(t('draft.undid_other', { person: moved.done_by, what: stepText(moved) }));
  };
  const options = [
    { value: 'all' as State | 'all', label: `${t('rows.all')} (${formatCount(draft.rows)})` },
    ...states.map((value) => ({
      value: value as State | 'all',
      label: `${t(`draft.state.${value}`)} (${formatCount(draft.states[value] ?? 0)})`,
    })),
  ];
  return (
    <section className="card flush" aria-label={t('draft.rows')}>
      <div className="card-head rows-head">
        <FilterRow
          choiceLabel={t('base.state')}
          choice={filter.state ?? 'all'}
          options={options}
          onPick={(state) => onFilter({ ...allRows, state: state === 'all' ? null : (state as DraftRow['state']) })}
          searchLabel={t('draft.find')}
          search={search}
          onSearch={setSearch}
        />
        <Steps {...{ draft, editor, isChecking, move }} />
      </div>
      {rows.error !== null && <Failure error={rows.error} onRetry={rows.retry} />}
      {rows.isLoading ? (
        <Loading />
      ) : rows.count === 0 ? (
        <NoneFits
          title={t('rows.none')}
          onClear={() => {
            onFilter(allRows);
            setSearch('');
          }}
        />
      ) : (
        <MendingGrid
          columns={draft.columns}
          rows={rows}
          onEdit={(cells) => void edit({ cells })}
          onRow={(row, in_file) => void edit({ rows: { rows: [row], in_file } })}
          onMove={(way) => void move(way)}
        />
      )}
      <p className="card-part quiet small">{t('draft.keys')}</p>
    </section>
  );
}

type StepsProps = Pick<RowsProps, 'draft' | 'editor' | 'isChecking'> & {
  move: (way: 'undo' | 'redo') => Promise<void>;
};

function Steps({ draft, editor, isChecking, move }: StepsProps) {
  return (
    <div className="line">
      <span className="quiet small" role="status">
        {editor.isWaiting
          ? t('draft.waiting')
          : editor.isBusy
            ? t('draft.saving')
            : isChecking
              ? t('draft.checking')
              : t(draft.rejection === null ? 'draft.saved' : 'draft.saved_unread')}
      </span>
      <Button disabledBecause={editor.canUndo ? null : t('draft.nothing_to_undo')} onClick={() => void move('undo')}>
        {t('draft.undo')}
      </Button>
      <Button disabledBecause={editor.canRedo ? null : t('draft.nothing_to_redo')} onClick={() => void move('redo')}>
        {t('draft.redo')}
      </Button>
    </div>
  );
}
