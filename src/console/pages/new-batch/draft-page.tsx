import { useState } from 'react';
import { Link, useLocation, useParams } from 'wouter';
import { change } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Figures, Page } from '../../base/page.tsx';
import { Sums } from '../../base/values.tsx';
import { useChange } from '../../forms/use-change.ts';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { reasonText } from '../../texts/reason-text.ts';
import { ChangesCard } from '../draft-changes/changes-card.tsx';
import { ColumnsCard } from './columns-card.tsx';
import { type Draft, type DraftPlan, useDraft } from './draft-queries.ts';
import { OptionsCard } from './options-card.tsx';
import { PlanPart, usePlan } from './plan-part.tsx';
import { ProblemsCard } from './problems-card.tsx';
import { SheetsCard } from './reread-part.tsx';
import { RowsCard } from './rows-card.tsx';
import { useDraftEditor } from './use-draft-editor.ts';
import { allRows, type RowFilter } from './use-draft-rows.ts';
import './mending.css';

/** A draft: what its columns mean, what is wrong, its rows to correct, its plan. */
export function DraftPage() {
  const { id = '' } = useParams<{ id: string }>();
  const query = useDraft(decodeURIComponent(id));
  const title = query.data?.file_name ?? t('nav.new');
  return (
    <Page
      title={title}
      sub={query.data && <Origin draft={query.data} />}
      actions={query.data?.status === 'open' && <Discard draft={query.data} />}
    >
      <Loaded query={query}>
        {(draft) => <Mending key={draft.draft_id} draft={draft} isFetching={query.isFetching} />}
      </Loaded>
    </Page>
  );
}

function Origin({ draft: { draft_id, rows, created_by, file_name, are_files_kept } }: { draft: Draft }) {
  const mayPrepare = useRole('prepare');
  const isWorkbook = rows > 0 && /\.xlsx(\.gz)?$/i.test(file_name);
  const place = `/api/v1/drafts/${encodeURIComponent(draft_id)}/file`;
  return (
    <span className="line">
      <span>
        {t('payments.rows', { count: rows })} · {created_by}
      </span>
      {mayPrepare && are_files_kept && (
        <>
          <a href={`${place}/original`} download>
            {t('draft.original')}
          </a>
          {isWorkbook && (
            <a href={`${place}/mended_xlsx`} download>
              {t('draft.mended_as', { format: 'XLSX' })}
            </a>
          )}
          {rows > 0 && (
            <a href={`${place}/mended`} download>
              {isWorkbook ? t('draft.mended_as', { format: 'CSV' }) : t('draft.mended')}
            </a>
          )}
        </>
      )}
    </span>
  );
}

function Mending({ draft, isFetching }: { draft: Draft; isFetching: boolean }) {
  const [filter, setFilter] = useState<RowFilter>(allRows);
  const [areOptionsShown, showOptions] = useState(false);
  const editor = useDraftEditor(draft);
  const planning = usePlan(draft);
  const isChecking = isFetching || editor.isUnchecked;
  const mayPrepare = useRole('prepare');
  const isOpen = draft.status === 'open' && mayPrepare;
  if (draft.status !== 'open')
    return (
      <>
        <Ended draft={draft} />
        <ChangesCard draft={draft} />
      </>
    );
  if (draft.sheets.length > 0 && draft.options.sheet === undefined) return <SheetsCard draft={draft} isOpen={isOpen} />;
  return (
    <>
      {editor.error !== null && <Failure error={editor.error} />}
      {draft.notes.map(({ message, reason }) => (
        <p className="notice tone-attention" key={message}>
          {reasonText(reason) ?? message}
        </p>
      ))}
      {draft.totals !== null && <Totals draft={draft} plan={planning.plan} />}
      <ColumnsCard draft={draft} editor={editor} isOpen={isOpen} />
      {isOpen && (
        <OptionsCard
          {...{ draft, editor }}
          isShown={areOptionsShown || draft.rejection !== null}
          onShow={showOptions}
        />
      )}
      <ProblemsCard {...{ draft, editor, filter, isOpen }} onFilter={setFilter} onWholeFile={() => showOptions(true)} />
      <RowsCard draft={draft} editor={editor} filter={filter} onFilter={setFilter} isChecking={isChecking} />
      <ChangesCard draft={draft} />
      <PlanPart {...{ draft, planning, isOpen }} isReady={!isChecking && !editor.isBusy} />
    </>
  );
}

/** A draft that can no longer be changed. */
function Ended({ draft: { status, batch_id, are_files_kept } }: { draft: Draft }) {
  const isSubmitted = status === 'submitted' && batch_id !== null;
  return (
    <div className={`notice tone-${isSubmitted ? 'good' : 'attention'}`}>
      <h2>{t(isSubmitted ? 'draft.submitted' : 'draft.discarded')}</h2>
      {isSubmitted && !are_files_kept && <p>{t('draft.erased')}</p>}
      <p>
        {isSubmitted ? (
          <Link href={`/batches/${encodeURIComponent(batch_id)}`}>{batch_id}</Link>
        ) : (
          <Link href="/new">{t('nav.new')}</Link>
        )}
      </p>
    </div>
  );
}

/** Until there is a plan, only the file is checked: the plan compares its rows with earlier payments. */
function Totals({ draft: { totals, states, batch_id }, plan }: { draft: Draft; plan: DraftPlan | null }) {
  if (totals === null) return null;
  const { counts } = plan === null ? totals : plan.findings;
  const more = (name: 'skipped' | 'excluded', count: number) =>
    count === 0 ? [] : [{ name: t(`draft.${name}`), value: formatCount(count), more: t(`draft.${name}_help`) }];
  return (
    <Figures
      figures={[
        plan === null
          ? {
              name: t('draft.ready'),
              value: formatCount(counts.valid),
              more: <BeforePlan totals={totals} isPlanned={batch_id !== null} />,
            }
          : {
              name: t('draft.to_pay'),
              value: formatCount(plan.plan.to_send),
              more: <Sums sums={plan.plan.sums} products={plan.plan.products} />,
            },
        { name: t('batch.to_correct'), value: formatCount(counts.invalid), more: t('draft.wrong_help') },
        { name: t('draft.held'), value: formatCount(counts.held), more: t('draft.held_help') },
        ...more('skipped', plan === null ? 0 : counts.skipped),
        ...more('excluded', states.excluded ?? 0),
      ]}
    />
  );
}

function BeforePlan({ totals, isPlanned }: { totals: NonNullable<Draft['totals']>; isPlanned: boolean }) {
  return (
    <>
      <Sums sums={totals.sums} products={totals.product_rows} />
      {!isPlanned && <div>{t('draft.ready_help')}</div>}
    </>
  );
}

function Discard({ draft }: { draft: Draft }) {
  const [, go] = useLocation();
  const [isAsked, setAsked] = useState(false);
  const discard = useChange(
    () => change('/api/v1/drafts/{draft_id}/discard', { path: { draft_id: draft.draft_id }, body: {} }),
    { reads: [['drafts']], onDone: () => go('/new') },
  );
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t('draft.discard')}</Button>
      {isAsked && (
        <Dialog
          title={t('draft.discard_title')}
          submitText={t('draft.discard')}
          look="danger"
          work={discard}
          onSubmit={() => discard.mutate()}
          onClose={() => setAsked(false)}
        >
          <p>{t('draft.discard_help')}</p>
        </Dialog>
      )}
    </>
  );
}
