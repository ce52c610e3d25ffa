import { useQuery } from '@tanstack/react-query';
import { type ClipboardEvent, type DragEvent, type RefObject, useRef, useState } from 'react';
import { Link } from 'wouter';
import { get } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Failure } from '../../base/failure.tsx';
import { Select } from '../../base/field.tsx';
import { Card, NoRole, Page } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Count, draftPath, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { KnownFile } from './known-file.tsx';
import type { DraftSummary } from './upload-queries.ts';
import { useUpload } from './use-upload.ts';
import './upload.css';

/** Open drafts that are listed: those that nobody changes are erased after 60 days. */
const draftsMax = 500;

/** A table copied from a spreadsheet is a file like any other. */
const pastedName = 'pasted.tsv';

/** Where a file becomes a draft. */
export function NewBatchPage() {
  const mayPrepare = useRole('prepare');
  const accounts = useQuery({ queryKey: ['accounts'], queryFn: () => get('/api/v1/accounts') });
  const names = accounts.data?.accounts.map(({ account }) => account) ?? [];
  const [chosen, setChosen] = useState<string | null>(null);
  const account = chosen ?? names[0] ?? null;
  return (
    <Page title={t('nav.new')} sub={t('draft.sub')}>
      {mayPrepare ? (
        <>
          {names.length > 1 && (
            <div className="filters">
              <Select
                label={t('batches.column.account')}
                value={account ?? ''}
                options={names.map((value) => ({ value, label: value }))}
                onPick={setChosen}
              />
            </div>
          )}
          <DropZone account={account} />
        </>
      ) : (
        <NoRole title={t('draft.no_role')} needs="prepare" />
      )}
      <OpenDrafts />
    </Page>
  );
}

function DropZone({ account }: { account: string | null }) {
  const picker = useRef<HTMLInputElement>(null);
  const [isOver, setOver] = useState(false);
  const sending = useUpload(account);
  const { isSending, isWaiting, take } = sending;
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files[0]);
  };
  const onPaste = (event: ClipboardEvent) => {
    const file = event.clipboardData.files[0];
    const text = event.clipboardData.getData('text/plain');
    event.preventDefault();
    take(file ?? (text === '' ? undefined : new File([text], pastedName, { type: 'text/tab-separated-values' })));
  };
  return (
    <>
      <section
        aria-label={t('draft.drop')}
        className={isOver ? 'drop-zone over' : 'drop-zone'}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={onDrop}
        onPaste={onPaste}
      >
        <h2 aria-live="polite">{t(isWaiting ? 'draft.upload_waits' : isSending ? 'draft.sending' : 'draft.drop')}</h2>
        <p className="quiet">{t('draft.drop_help')}</p>
        <div className="line">
          <Button look="main-action" isBusy={isSending} onClick={() => picker.current?.click()}>
            {t('draft.choose')}
          </Button>
          <textarea
            className="input paste-place"
            rows={1}
            aria-label={t('draft.paste')}
            placeholder={t('draft.paste')}
            value=""
            onChange={() => undefined}
          />
        </div>
        <Picker picker={picker} onPick={take} />
      </section>
      {sending.error !== null && <Failure error={sending.error} onRetry={sending.retry} />}
      {sending.known.length > 0 && (
        <KnownFile known={sending.known} onNew={sending.startNew} onClose={sending.forget} />
      )}
    </>
  );
}

function Picker({
  picker,
  onPick,
}: {
  picker: RefObject<HTMLInputElement | null>;
  onPick: (file: File | undefined) => void;
}) {
  return (
    <input
      ref={picker}
      type="file"
      className="hidden-text"
      tabIndex={-1}
      aria-label={t('draft.choose')}
      accept=".csv,.tsv,.txt,.gz,.xlsx"
      onChange={({ target }) => {
        onPick(target.files?.[0]);
        target.value = '';
      }}
    />
  );
}

function OpenDrafts() {
  const query = { status: 'open', limit: draftsMax } as const;
  const { data } = useQuery({
    queryKey: ['drafts'],
    queryFn: () => get('/api/v1/drafts', { query }),
  });
  const open = data?.drafts ?? [];
  if (open.length === 0) return null;
  return (
    <Card title={t('draft.open')} isFlush>
      <Table
        caption={t('draft.open')}
        rows={open}
        keyOf={({ draft_id }) => draft_id}
        stacks
        columns={[
          { id: 'file', label: t('approval.file'), isHead: true, cell: (draft) => <DraftLink draft={draft} /> },
          { id: 'rows', label: t('batches.column.rows'), isNumber: true, cell: ({ rows }) => <Count of={rows} /> },
          { id: 'account', label: t('batches.column.account'), cell: ({ account }) => account },
          { id: 'by', label: t('draft.by'), cell: ({ created_by }) => created_by },
          { id: 'changed', label: t('draft.changed'), cell: ({ changed_at }) => <Time at={changed_at} /> },
        ]}
      />
    </Card>
  );
}

function DraftLink({ draft: { draft_id, file_name, batch_id } }: { draft: DraftSummary }) {
  return (
    <>
      <Link href={draftPath(draft_id)}>{file_name}</Link>{' '}
      {batch_id !== null && <Badge tone="attention">{t('draft.planned')}</Badge>}
    </>
  );
}
