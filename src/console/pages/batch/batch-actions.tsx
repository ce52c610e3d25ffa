import { useState } from 'react';
import { change } from '../../api/client.ts';
import { useRole, useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../base/button.tsx';
import { Field, Select, TextArea } from '../../base/field.tsx';
import { batchPath } from '../../base/values.tsx';
import { useRequiredText } from '../../forms/required-text.ts';
import { t } from '../../texts/i18n.ts';
import { type BatchStatus, useGuardedAction } from './batch-queries.ts';
import { GuardedDialog } from './guarded-dialog.tsx';

type Kind = BatchStatus['actions'][number];

export function BatchActions({ batch }: { batch: BatchStatus }) {
  const [opened, setOpened] = useState<Kind | null>(null);
  const mayOperate = useRole('operate');
  const mayApprove = useRole('approve');
  const mayPrepare = useRole('prepare');
  const { person } = useSession();
  const { may_approve, given } = batch.approvals;
  // A person who has approved it may still reject it; the person who submitted it decides nothing.
  const mayDecide = may_approve === null || [...may_approve, ...given.map((one) => one.person)].includes(person);
  const waitsForApproval = batch.status === 'awaiting_approval' || batch.status === 'validated';
  const close = () => setOpened(null);
  return (
    <>
      {waitsForApproval && mayApprove && mayDecide && (
        <ButtonLink href={`${batchPath(batch.batch_id)}/approval`} look="main-action">
          {t('batch.review')}
        </ButtonLink>
      )}
      {['completed', 'cancelled'].includes(batch.status) && (
        <ButtonLink href={`/reports/${encodeURIComponent(batch.batch_id)}`}>{t('nav.reports')}</ButtonLink>
      )}
      {batch.actions
        .filter((kind) => (kind === 'withdraw' ? mayPrepare : mayOperate))
        .map((kind) => (
          <Button
            key={kind}
            look={kind === 'resume' ? 'main-action' : isFinal(kind) ? 'danger' : undefined}
            onClick={() => setOpened(kind)}
          >
            {t(`batch.${kind}`)}
          </Button>
        ))}
      {opened === 'reorder' && <ReorderDialog batch={batch} onClose={close} />}
      {opened !== null && opened !== 'reorder' && <SimpleDialog batch={batch} kind={opened} onClose={close} />}
    </>
  );
}

/** Whether an action cannot be undone: rows are then not paid by this batch. */
function isFinal(kind: Kind): boolean {
  return kind === 'cancel' || kind === 'withdraw';
}

function SimpleDialog({
  batch,
  kind,
  onClose,
}: {
  batch: BatchStatus;
  kind: Exclude<Kind, 'reorder'>;
  onClose: () => void;
}) {
  const why = useRequiredText();
  const { batch_id } = batch;
  const needsWhy = kind === 'pause' || isFinal(kind);
  const action = useGuardedAction(
    batch,
    async (etag) => {
      const path = { batch_id };
      // A pause or a withdrawal pays nobody, so it never waits for a person to read what others did.
      if (kind === 'pause') await change('/api/v1/batches/{batch_id}/pause', { path, body: { why: why.text } });
      else if (kind === 'withdraw')
        await change('/api/v1/batches/{batch_id}/withdraw', { path, body: { why: why.text } });
      else if (kind === 'cancel')
        await change('/api/v1/batches/{batch_id}/skip', { path, body: { why: why.text, unsent: true }, etag });
      else if (kind === 'resume') await change('/api/v1/batches/{batch_id}/resume', { path, body: {}, etag });
      else await change('/api/v1/batches/{batch_id}/retry', { path, body: {}, etag });
    },
    { done: () => t(`batch.${kind}_done`), onDone: onClose },
  );
  const submit = () => {
    if (!needsWhy || why.check()) action.mutate();
  };
  return (
    <GuardedDialog
      work={action}
      title={t(`batch.${kind}_title`)}
      onClose={onClose}
      onSubmit={submit}
      submitText={t(`batch.${kind}`)}
      look={isFinal(kind) ? 'danger' : 'main-action'}
    >
      <p>{t(`batch.${kind}_help`)}</p>
      {needsWhy && <TextArea label={t('base.reason')} help={t('base.reason_help')} {...why.field} />}
    </GuardedDialog>
  );
}

const priorities = ['urgent', 'normal', 'bulk'] as const;

function ReorderDialog({ batch, onClose }: { batch: BatchStatus; onClose: () => void }) {
  const [priority, setPriority] = useState(batch.priority);
  const [finish, setFinish] = useState(batch.finish_by === null ? '' : localInput(batch.finish_by));
  const action = useGuardedAction(
    batch,
    (etag) => {
      const finish_by = finish === '' ? null : new Date(finish).toISOString();
      const path = { batch_id: batch.batch_id };
      return change('/api/v1/batches/{batch_id}/reorder', { path, body: { priority, finish_by }, etag });
    },
    { done: () => t('batch.reorder_done'), onDone: onClose },
  );
  return (
    <GuardedDialog work={action} title={t('batch.reorder_title')} onClose={onClose} onSubmit={() => action.mutate()}>
      <p>{t('batch.reorder_help')}</p>
      <Select
        label={t('batch.priority')}
        value={priority}
        options={priorities.map((value) => ({ value, label: t(`priority.${value}`) }))}
        onPick={setPriority}
      />
      <Field
        label={t('batch.finish_by')}
        help={t('batch.finish_help', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}
        type="datetime-local"
        value={finish}
        onText={setFinish}
      />
    </GuardedDialog>
  );
}

/** A time for an input in the reader's own zone: `2026-11-26T14:05`. */
function localInput(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
