import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { change } from '../../api/client.ts';
import { codeOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../base/button.tsx';
import { Failure, failureText, Loaded } from '../../base/failure.tsx';
import { TextArea } from '../../base/field.tsx';
import { Card, EmptyCard, NoRole, Page } from '../../base/page.tsx';
import type { BatchState } from '../../base/states.ts';
import { batchPath, Sums, serviceText, Time } from '../../base/values.tsx';
import { useRequiredText } from '../../forms/required-text.ts';
import { t } from '../../texts/i18n.ts';
import { reasonText } from '../../texts/reason-text.ts';
import { ApprovalsLine } from '../batch/approvals-line.tsx';
import { useBatch, useGuardedAction } from '../batch/batch-queries.ts';
import { GuardedDialog } from '../batch/guarded-dialog.tsx';
import { RowsPanel } from '../batch/rows-panel.tsx';
import { SituationNotice } from '../batch/situation.tsx';
import { ChangedByOthers } from '../batch/unless-changed.ts';
import { PlanCard, UnusualCards } from './review-cards.tsx';
import { type Review, useReview } from './review-queries.ts';
import '../../styles/figure-line.css';
import './approval.css';

/** Problems that stay, however often the person tries. */
const isFinal: ReadonlySet<string | null> = new Set([
  ...['BATCH_STATE', 'SECOND_PERSON_NEEDED', 'ROLE_MISSING', 'APPROVAL_EXPIRED'],
]);

/** Nothing went wrong: other people decide about this batch. */
const isForOthers: ReadonlySet<string | null> = new Set(['ROLE_MISSING', 'SECOND_PERSON_NEEDED']);

/** What an approver must see before they decide, and the decision. What they see is what they approve. */
export function ApprovalPage() {
  const { id = '' } = useParams();
  const batchId = decodeURIComponent(id);
  const query = useReview(batchId);
  const batch = useBatch(batchId).data;
  const back = batchPath(batchId);
  const { data, error } = query;
  if (data === undefined && isFinal.has(codeOf(error)))
    return (
      <Page title={batch?.run_id ?? batchId} actions={<ButtonLink href={back}>{t('approval.back')}</ButtonLink>}>
        {codeOf(error) === 'ROLE_MISSING' && <NoRole title={t('approval.no_role')} needs="approve" />}
        {codeOf(error) === 'SECOND_PERSON_NEEDED' && <EmptyCard title={failureText(error)} />}
        {isForOthers.has(codeOf(error)) ? (
          batch && <ApprovalsLine approvals={batch.approvals} />
        ) : codeOf(error) === 'BATCH_STATE' && batch ? (
          <SituationNotice batch={batch} />
        ) : (
          <Failure error={error} />
        )}
        {codeOf(error) === 'APPROVAL_EXPIRED' && batch && <RejectExpired batch={batch} back={back} />}
      </Page>
    );
  return (
    <Page
      title={t('approval.title', { run: data?.run_id ?? batchId })}
      sub={data && <Sub review={data} file={batch?.file_name ?? ''} />}
      actions={<ButtonLink href={back}>{t('approval.back')}</ButtonLink>}
    >
      <Loaded query={query}>
        {(review) => (
          <>
            <ApprovalsLine approvals={review.approvals} />
            <PlanCard review={review} />
            <UnusualCards review={review} />
            {batch !== undefined && <RowsPanel batch={batch} />}
            <Digest review={review} />
            <Decision review={review} back={back} onChanged={() => void query.refetch()} />
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Sub({ review: { account, service, created_by, created_at }, file }: { review: Review; file: string }) {
  return (
    <>
      {file} · {account} ({serviceText(service)}) · {t('batches.by', { person: created_by })}, <Time at={created_at} />
    </>
  );
}

/** The digest of the rows: the approval is bound to it. */
function Digest({ review: { content_sha256 } }: { review: Review }) {
  if (content_sha256 === null) return null;
  return (
    <Card title={t('approval.digest')}>
      <div className="stack tight">
        <p className="quiet">{t('approval.digest_help')}</p>
        <code>{content_sha256.match(/.{1,8}/g)?.join(' ')}</code>
      </div>
    </Card>
  );
}

type Asked = 'approve' | 'reject' | null;

/** More sums would cover a phone. They are at the top of the page, and in the question before the decision. */
const sumsInBarMax = 3;

function Decision({ review, back, onChanged }: { review: Review; back: string; onChanged: () => void }) {
  const [asked, setAsked] = useState<Asked>(null);
  const { plan, approvals } = review;
  const { person } = useSession();
  const dialog = { batch: review, back, onChanged, onClose: () => setAsked(null) };
  // Who has approved may still reject.
  const hasApproved = approvals.given.some((one) => one.person === person);
  const already = reasonText({ code: 'APPROVED_ALREADY', values: { name: person } });
  return (
    <div className="decision-bar">
      <div>
        <div className="quiet small">{hasApproved ? already : t('approval.to_pay', { count: plan.to_send })}</div>
        {Object.keys(plan.sums).length <= sumsInBarMax && (
          <strong>
            <Sums sums={plan.sums} products={plan.products} />
          </strong>
        )}
      </div>
      <div className="line">
        <Button look="danger" onClick={() => setAsked('reject')}>
          {t('approval.reject')}
        </Button>
        <Button look="main-action" disabledBecause={hasApproved ? already : null} onClick={() => setAsked('approve')}>
          {t('approval.approve')}
        </Button>
      </div>
      {asked === 'approve' && <ApproveDialog {...{ ...dialog, review }} />}
      {asked === 'reject' && <RejectDialog {...dialog} />}
    </div>
  );
}

/** The button of a batch that has waited for too long for its approval: it can only be rejected. */
function RejectExpired({ batch, back }: Pick<DialogProps, 'batch' | 'back'>) {
  const [isAsked, setAsked] = useState(false);
  return (
    <div>
      <Button look="danger" onClick={() => setAsked(true)}>
        {t('approval.reject')}
      </Button>
      {isAsked && <RejectDialog {...{ batch, back, onClose: () => setAsked(false), onChanged: () => undefined }} />}
    </div>
  );
}

interface DialogProps {
  batch: { batch_id: string; etag: string };
  back: string;
  onClose: () => void;
  onChanged: () => void;
}

/** A decision, after which the page of the batch is shown. */
function useDecision(
  { batch, back, onClose, onChanged }: DialogProps,
  what: 'approve' | 'reject',
  decide: (etag: string) => Promise<{ status: BatchState }>,
) {
  const [, go] = useLocation();
  const queries = useQueryClient();
  const action = useGuardedAction(batch, decide, {
    done: ({ status }) => t(status === 'awaiting_approval' ? 'approval.counted' : `approval.${what}_done`),
    onDone: () => {
      // The page of the batch shows nothing of what it was before the decision.
      queries.removeQueries({ queryKey: ['batch', batch.batch_id] });
      go(back);
    },
  });
  const close = () => {
    // The batch has changed since the approver saw it, so they look at it again.
    if (codeOf(action.error) === 'CONTENT_CHANGED' || action.error instanceof ChangedByOthers) onChanged();
    onClose();
  };
  return { action, close };
}

function ApproveDialog({ review, ...props }: DialogProps & { review: Review }) {
  const { batch_id, content_sha256, plan, approvals } = review;
  const isLast = approvals.given.length + 1 >= approvals.needed;
  const { action, close } = useDecision(props, 'approve', (etag) => {
    const seen = { content_sha256, to_send: plan.to_send, products: plan.products, sums: plan.sums };
    return change('/api/v1/batches/{batch_id}/approve', { path: { batch_id }, body: { seen }, etag });
  });
  return (
    <GuardedDialog
      work={action}
      title={t('approval.approve_title')}
      onClose={close}
      onSubmit={() => action.mutate()}
      submitText={t('approval.approve')}
      look="main-action"
    >
      <p>{t(isLast ? 'approval.approve_help' : 'approval.approve_more_help')}</p>
      <div className="figure-line">
        <span>{t('payments.rows', { count: plan.to_send })}</span>
        <strong>
          <Sums sums={plan.sums} products={plan.products} />
        </strong>
      </div>
    </GuardedDialog>
  );
}

function RejectDialog(props: DialogProps) {
  const why = useRequiredText();
  const path = { batch_id: props.batch.batch_id };
  const { action, close } = useDecision(props, 'reject', (etag) =>
    change('/api/v1/batches/{batch_id}/reject', { path, body: { why: why.text }, etag }),
  );
  return (
    <GuardedDialog
      work={action}
      title={t('approval.reject_title')}
      onClose={close}
      onSubmit={() => why.check() && action.mutate()}
      submitText={t('approval.reject')}
      look="danger"
    >
      <TextArea label={t('base.reason')} help={t('approval.reject_help')} {...why.field} />
    </GuardedDialog>
  );
}
