import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { change } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Figures, Page } from '../../base/page.tsx';
import { Sums } from '../../base/values.tsx';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { ColumnsCard } from './columns-card.tsx';
import { type Draft, useDraft } from './draft-queries.ts';
import { OptionsCard } from './options-card.tsx';
import { PlanPart } from './plan-part.tsx';
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

function Origin({ draft: { draft_id, rows, created_by } }: { draft: Draft }) {
  const place = `/api/v1/drafts/${encodeURIComponent(draft_id)}/file`;
  return (
    <span className="line">
      <span>
        {t('draft.rows_of', { count: rows })} · {created_by}
      </span>
      <a href={`${place}/original`} download>
        {t('draft.original')}
      </a>
      <a href={`${place}/mended`} download>
        {t('draft.mended')}
      </a>
    </span>
  );
}

function Mending({ draft, isFetching }: { draft: Draft; isFetching: boolean }) {
  const [filter, setFilter] = useState<RowFilter>(allRows);
  const [areOptionsShown, showOptions] = useState(false);
  const editor = useDraftEditor(draft);
  const isChecking = isFetching || editor.isUnchecked;
  const mayPrepare = useRole('prepare');
  const isOpen = draft.status === 'open' && mayPrepare;
  if (draft.status !== 'open')
    return (
      <div className="notice tone-good">
        <h2>{t('draft.submitted')}</h2>
      </div>
    );
  if (draft.sheets.length > 0 && draft.options.sheet === undefined) return <SheetsCard draft={draft} isOpen={isOpen} />;
  return (
    <>
      {editor.error !== null && <Failure error={editor.error} />}
      {draft.notes.map((note) => (
        <p className="notice tone-attention" key={note}>
          {note}
        </p>
      ))}
      {draft.totals !== null && <Totals draft={draft} />}
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
      <PlanPart draft={draft} isReady={!isChecking && !editor.isBusy} isOpen={isOpen} />
    </>
  );
}

function Totals({ draft: { totals, states } }: { draft: Draft }) {
  const { counts, sums = {} } = totals ?? {};
  const excluded = states.excluded ?? 0;
  return (
    <Figures
      figures={[
        {
          ...{ name: t('draft.to_pay'), value: formatCount(counts?.valid ?? 0) },
          more: <Sums sums={sums} />,
        },
        { name: t('draft.wrong'), value: formatCount(counts?.invalid ?? 0), more: t('draft.wrong_help') },
        { name: t('draft.held'), value: formatCount(counts?.held ?? 0), more: t('draft.held_help') },
        ...(excluded > 0
          ? [{ name: t('draft.excluded'), value: formatCount(excluded), more: t('draft.excluded_help') }]
          : []),
      ]}
    />
  );
}

function Discard({ draft }: { draft: Draft }) {
  const [, go] = useLocation();
  const [isAsked, setAsked] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const discard = () =>
    change('/api/v1/drafts/{draft_id}/discard', { path: { draft_id: draft.draft_id }, body: {} }).then(
      () => go('/new'),
      setError,
    );
  return (
    <>
      <Button onClick={() => setAsked(true)}>{t('draft.discard')}</Button>
      {isAsked && (
        <Dialog
          title={t('draft.discard_title')}
          submitText={t('draft.discard')}
          look="danger"
          error={error}
          onSubmit={() => void discard()}
          onClose={() => setAsked(false)}
        >
          <p>{t('draft.discard_help')}</p>
        </Dialog>
      )}
    </>
  );
}
