import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../base/button.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Card, Empty, Figures, Page } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { Tabs } from '../../base/tabs.tsx';
import { Count, None, Sums, Time } from '../../base/values.tsx';
import { sumsOf } from '../../texts/decimal.ts';
import { formatCount, formatDuration } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { HeldPanel } from '../batch/held-panel.tsx';
import { RowDialog } from '../batch/row-dialog.tsx';
import { Asked } from '../batch/row-values.tsx';
import { type Doubt, type OpenBatch, useDoubts, useOpenBatches } from './doubt-queries.ts';

const tabs = ['doubts', 'held'] as const;

/** The doubt desk: rows in doubt, and held rows that wait for a decision. */
export function DoubtsPage() {
  const [chosen, setChosen] = useState<(typeof tabs)[number]>('doubts');
  const query = useOpenBatches();
  return (
    <Page title={t('nav.doubts')} sub={t('doubts.sub')}>
      <Loaded query={query}>
        {(batches) => (
          <Tabs
            label={t('nav.doubts')}
            tabs={tabs.map((id) => ({ id, label: `${t(`doubts.tab.${id}`)} (${formatCount(countOf(batches, id))})` }))}
            chosen={chosen}
            onChoose={setChosen}
          >
            {chosen === 'doubts' ? (
              <DoubtList batches={batches.filter(({ counts }) => (counts.in_doubt ?? 0) > 0)} />
            ) : (
              <HeldList batches={batches.filter(({ counts }) => (counts.held ?? 0) > 0)} />
            )}
          </Tabs>
        )}
      </Loaded>
    </Page>
  );
}

function countOf(batches: readonly OpenBatch[], tab: (typeof tabs)[number]): number {
  const state = tab === 'doubts' ? 'in_doubt' : 'held';
  return batches.reduce((sum, { counts }) => sum + (counts[state] ?? 0), 0);
}

function DoubtList({ batches }: { batches: readonly OpenBatch[] }) {
  const { doubts, error, retry, isWhole } = useDoubts(batches);
  const [opened, setOpened] = useState<Doubt | null>(null);
  if (batches.length === 0)
    return (
      <Card>
        <Empty title={t('doubts.none')}>
          <p>{t('doubts.none_help')}</p>
        </Empty>
      </Card>
    );
  const oldest = doubts.map(({ row }) => row.in_doubt_since).filter((at) => at !== null)[0] ?? null;
  return (
    <>
      {error !== null && <Failure error={error} onRetry={retry} />}
      <Figures
        figures={[
          { name: t('doubts.rows'), value: <Count of={countOf(batches, 'doubts')} /> },
          { name: t('doubts.sum'), value: <Sums sums={sumsOf(doubts.map(({ row }) => row))} /> },
          { name: t('doubts.oldest'), value: <Time at={oldest} />, more: oldest === null ? undefined : ageOf(oldest) },
        ]}
      />
      {!isWhole && <p className="notice tone-attention">{t('doubts.not_whole', { count: doubts.length })}</p>}
      <Card isFlush>
        <Table
          caption={t('doubts.tab.doubts')}
          rows={doubts}
          keyOf={({ batch, row }) => `${batch.batch_id} ${row.row_no}`}
          stacks
          columns={[
            {
              ...{ id: 'row', label: t('rows.row'), isHead: true },
              cell: (doubt) => (
                <Button look="link" onClick={() => setOpened(doubt)}>
                  {t('rows.one', { row: doubt.row.row_no })}
                </Button>
              ),
            },
            { id: 'batch', label: t('batches.column.batch'), cell: ({ batch }) => <BatchLink batch={batch} /> },
            { id: 'person', label: t('rows.person'), cell: ({ row }) => row.person ?? row.phone_number ?? <None /> },
            { id: 'amount', label: t('rows.amount'), isNumber: true, cell: ({ row }) => <Asked row={row} /> },
            {
              ...{ id: 'since', label: t('doubts.since') },
              cell: ({ row: { in_doubt_since: since } }) => (
                <>
                  <Time at={since} />
                  {since !== null && <div className="small quiet">{ageOf(since)}</div>}
                </>
              ),
            },
            {
              ...{ id: 'evidence', label: t('doubts.evidence') },
              cell: (doubt) => <Evidence doubt={doubt} />,
            },
          ]}
        />
      </Card>
      {opened !== null && (
        <RowDialog batchId={opened.batch.batch_id} row={opened.row} onClose={() => setOpened(null)} />
      )}
    </>
  );
}

function Evidence({ doubt: { row, attention } }: { doubt: Doubt }) {
  const code = attention?.last_answer?.code ?? row.code;
  const text = attention?.last_answer?.message ?? row.reason;
  return (
    <div className="wrap">
      {code !== null && code !== '' && <code>{code}</code>} {text}
      {attention !== undefined && (
        <div className="small quiet">
          {attention.next === null ? (
            t('doubts.left')
          ) : (
            <>
              {t('doubts.next_lookup')} <Time at={attention.next} />
            </>
          )}
        </div>
      )}
    </div>
  );
}

function ageOf(since: string): string {
  return t('doubts.age', { time: formatDuration(Date.now() - Date.parse(since)) });
}

function BatchLink({ batch: { batch_id, run_id } }: { batch: OpenBatch }) {
  return <Link href={`/batches/${encodeURIComponent(batch_id)}`}>{run_id}</Link>;
}

function HeldList({ batches }: { batches: readonly OpenBatch[] }) {
  if (batches.length === 0)
    return (
      <Card>
        <Empty title={t('held.none')} />
      </Card>
    );
  return batches.map((batch) => (
    <section key={batch.batch_id} className="stack">
      <h2>
        <BatchLink batch={batch} />
      </h2>
      <HeldPanel batchId={batch.batch_id} />
    </section>
  ));
}
