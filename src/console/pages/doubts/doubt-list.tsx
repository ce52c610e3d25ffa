import { useState } from 'react';
import { useRole, useSession } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Select } from '../../base/field.tsx';
import { NoneFits } from '../../base/filter-row.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card, EmptyCard, Figures } from '../../base/page.tsx';
import { type Column, Table } from '../../base/table.tsx';
import { BatchLink, Count, None, Sums, Time } from '../../base/values.tsx';
import { formatDuration } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { type RowsOfBatch, useLookUp } from '../batch/look-up.ts';
import { RowDialog } from '../batch/row-dialog.tsx';
import { Asked } from '../batch/row-values.tsx';
import { byBatch, type Doubt, useAssign, useDoubts, useOpenBatches } from './doubt-queries.ts';
import { Evidence } from './evidence.tsx';
import './doubts.css';

/** Whose doubts are shown: of everybody, of nobody, or of one person. */
type Whose = '*' | '' | string;

const keyOf = ({ batch_id, row }: Doubt) => `${batch_id} ${row}`;

/** The rows in doubt of all batches. A person looks them up, takes them over, and opens one to resolve it. */
export function DoubtList() {
  const { person } = useSession();
  const [whose, setWhose] = useState<Whose>('*');
  const query = useDoubts(whose === '*' ? null : whose);
  return (
    <Loaded query={query}>
      {({ pages }) => {
        const [first] = pages;
        if (first === undefined) return null;
        const { count, sums, products, oldest, people } = first;
        const owners = [...new Set([person, ...people])];
        return (
          <>
            <Figures
              figures={[
                { name: t('doubts.rows'), value: <Count of={count} /> },
                { name: t('doubts.sum'), value: <Sums sums={sums} products={products} /> },
                {
                  ...{ name: t('doubts.oldest'), value: <Time at={oldest} /> },
                  more: oldest === null ? undefined : ageOf(oldest),
                },
              ]}
            />
            <div className="filters">
              <Select
                label={t('doubts.whose')}
                value={whose}
                options={[
                  { value: '*', label: t('doubts.whose.all') },
                  { value: '', label: t('doubts.whose.nobody') },
                  ...owners.map((name) => ({ value: name, label: name === person ? t('doubts.whose.mine') : name })),
                ]}
                onPick={setWhose}
              />
            </div>
            <Doubts
              key={whose}
              doubts={pages.flatMap(({ doubts }) => doubts)}
              owners={owners}
              isFiltered={whose !== '*'}
              onClear={() => setWhose('*')}
            />
            <MoreRows query={query} label={t('doubts.more')} />
          </>
        );
      }}
    </Loaded>
  );
}

interface DoubtsProps {
  doubts: readonly Doubt[];
  owners: readonly string[];
  /** Whether the doubts of others are left out. */
  isFiltered: boolean;
  onClear: () => void;
}

function Doubts({ doubts, owners, isFiltered, onClear }: DoubtsProps) {
  const mayOperate = useRole('operate');
  const batches = useOpenBatches().data ?? [];
  const [opened, setOpened] = useState<Doubt | null>(null);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const lookUp = useLookUp();
  const assign = useAssign();
  if (doubts.length === 0)
    return isFiltered ? (
      <Card>
        <NoneFits title={t('doubts.none_of')} onClear={onClear} />
      </Card>
    ) : (
      <EmptyCard title={t('doubts.none')}>
        <p>{t('doubts.none_help')}</p>
      </EmptyCard>
    );
  // Of all batches, also of those on later pages.
  const inDoubt = batches
    .filter(({ counts }) => (counts.in_doubt ?? 0) > 0)
    .map(({ batch_id }): RowsOfBatch => ({ batch_id, rows: [] }));
  const chosen = doubts.filter((one) => picked.has(keyOf(one)));
  const toggle = (doubt: Doubt) => {
    const next = new Set(picked);
    if (!next.delete(keyOf(doubt))) next.add(keyOf(doubt));
    setPicked(next);
  };
  const error = lookUp.error ?? assign.error;
  const columns = columnsOf({ onOpen: setOpened });
  return (
    <>
      {error !== null && <Failure error={error} />}
      <Card
        isFlush
        title={t('doubts.tab.doubts')}
        actions={
          mayOperate && (
            <Actions
              chosen={chosen}
              all={isFiltered ? byBatch(doubts) : inDoubt}
              owners={owners}
              isLookingUp={lookUp.isPending}
              onLookUp={(batches) => lookUp.mutate(batches)}
              onAssign={(owner) => {
                assign.mutate({ batches: byBatch(chosen), owner }, { onSuccess: () => setPicked(new Set()) });
              }}
            />
          )
        }
      >
        <Table
          caption={t('doubts.tab.doubts')}
          rows={doubts}
          keyOf={keyOf}
          stacks
          columns={mayOperate ? [pickColumn(picked, toggle), ...columns] : columns}
        />
      </Card>
      {opened !== null && <RowDialog batchId={opened.batch_id} row={rowOf(opened)} onClose={() => setOpened(null)} />}
    </>
  );
}

interface ActionsProps {
  chosen: readonly Doubt[];
  /** The rows to look up if none is chosen. */
  all: readonly RowsOfBatch[];
  owners: readonly string[];
  isLookingUp: boolean;
  onLookUp: (batches: readonly RowsOfBatch[]) => void;
  onAssign: (owner: string | null) => void;
}

function Actions({ chosen, all, owners, isLookingUp, onLookUp, onAssign }: ActionsProps) {
  const { person } = useSession();
  const [owner, setOwner] = useState(person);
  const { length: count } = chosen;
  return (
    <div className="line">
      {count > 0 && (
        <>
          <Select
            label={t('doubts.assign')}
            isLabelHidden
            value={owner}
            options={[
              ...owners.map((name) => ({ value: name, label: name === person ? t('doubts.to_me') : name })),
              { value: '', label: t('doubts.to_nobody') },
            ]}
            onPick={setOwner}
          />
          <Button onClick={() => onAssign(owner === '' ? null : owner)}>{t('doubts.assign_count', { count })}</Button>
        </>
      )}
      <Button look="main-action" isBusy={isLookingUp} onClick={() => onLookUp(count > 0 ? byBatch(chosen) : all)}>
        {isLookingUp ? t('doubts.looking') : count > 0 ? t('doubts.look_up_count', { count }) : t('doubts.look_up_all')}
      </Button>
    </div>
  );
}

function pickColumn(picked: ReadonlySet<string>, toggle: (doubt: Doubt) => void): Column<Doubt> {
  return {
    ...{ id: 'pick', label: t('doubts.pick'), isAction: true },
    cell: (doubt) => (
      <label className="pick-area">
        <input
          type="checkbox"
          className="pick"
          aria-label={t('doubts.pick_one', { row: doubt.row, batch: doubt.run_id })}
          checked={picked.has(keyOf(doubt))}
          onChange={() => toggle(doubt)}
        />
      </label>
    ),
  };
}

function columnsOf({ onOpen }: { onOpen: (doubt: Doubt) => void }): Column<Doubt>[] {
  return [
    {
      ...{ id: 'row', label: t('rows.row'), isHead: true },
      cell: (doubt) => (
        <Button look="link" onClick={() => onOpen(doubt)}>
          {t('rows.one', { row: doubt.row })}
        </Button>
      ),
    },
    {
      ...{ id: 'batch', label: t('batches.column.batch') },
      cell: ({ batch_id, run_id }) => <BatchLink id={batch_id} run={run_id} />,
    },
    { id: 'person', label: t('rows.person'), cell: ({ person, phone_number }) => person ?? phone_number ?? <None /> },
    { id: 'amount', label: t('rows.amount'), isNumber: true, cell: (doubt) => <Asked row={doubt} /> },
    {
      ...{ id: 'since', label: t('doubts.since') },
      cell: ({ since }) => (
        <div>
          <Time at={since} />
          {since !== null && <div className="small quiet">{ageOf(since)}</div>}
        </div>
      ),
    },
    { id: 'evidence', label: t('doubts.evidence'), cell: (doubt) => <Evidence doubt={doubt} /> },
    { id: 'owner', label: t('doubts.owner'), cell: ({ owner }) => owner ?? <None /> },
  ];
}

/** The doubt as a row of its batch. */
function rowOf({ row, since, why, why_reason, ...doubt }: Doubt) {
  return {
    ...doubt,
    row_no: row,
    status: 'in_doubt' as const,
    sent_at: since,
    reason: why,
    waiting_reason: why_reason,
  };
}

function ageOf(since: string): string {
  return t('doubts.age', { time: formatDuration(Date.now() - Date.parse(since)) });
}
