import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { change } from '../../api/client.ts';
import { codeOf } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Button, ButtonLink } from '../../base/button.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { TextArea } from '../../base/field.tsx';
import { Card, NoRole, Page } from '../../base/page.tsx';
import type { BatchState } from '../../base/states.ts';
import { batchPath, Sums, Time } from '../../base/values.tsx';
import { useRequiredText } from '../../forms/required-text.ts';
import { t } from '../../texts/i18n.ts';
import { reasonText } from '../../texts/reason-text.ts';
import { ApprovalsLine } from '../batch/approvals-line.tsx';
import { useBatch, useGuardedAction } from '../batch/batch-queries.ts';
import { GuardedDialog } from '../batch/guarded-dialog.tsx';
import { RowsPanel } from '../batch/rows-panel.tsx';
import { ChangedByOthers } from '../batch/unless-changed.ts';
import { PlanCard, UnusualCards } from './review-cards.tsx';
import { type Review, useReview } from './review-queries.ts';
import '../../styles/figure-line.css';
import './approval.css';

/** Problems that stay, however often the person tries. */
const isFinal: ReadonlySet<string | null> = new Set(['BATCH_STATE', 'SECOND_PERSON_NEEDED', 'ROLE_MISSING']);

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
        {codeOf(error) === 'ROLE_MISSING' ? (
          <>
            <NoRole title={t('approval.no_role')} needs="approve" />
            {batch && <ApprovalsLine approvals={batch.approvals} />}
          </>
        ) : (
          <Failure error={error} />
        )}
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
      {file} · {account} ({service}) · {t('batches.by', { person: created_by })}, <Time at={created_at} />
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
      {asked !== null && (
        <DecisionDialog what={asked} review={review} back={back} onClose={() => setAsked(null)} onChanged={onChanged} />
      )}
    </div>
  );
}

interface DecisionProps {
  what: 'approve' | 'reject';
  review: Review;
  back: string;
  onClose: () => void;
  onChanged: () => void;
}

function DecisionDialog({ what, review, back, onClose, onChanged }: DecisionProps) {
  const why = useRequiredText();
  const [, go] = useLocation();
  const queries = useQueryClient();
  const { batch_id, content_sha256, plan } = review;
  const path = { batch_id };
  const action = useGuardedAction(
    review,
    (etag): Promise<{ status: BatchState }> => {
      if (what === 'reject')
        return change('/api/v1/batches/{batch_id}/reject', { path, body: { why: why.text }, etag });
      const seen = { content_sha256, to_send: plan.to_send, products: plan.products, sums: plan.sums };
      return change('/api/v1/batches/{batch_id}/approve', { path, body: { seen }, etag });
    },
    {
      done: ({ status }) => t(status === 'awaiting_approval' ? 'approval.counted' : `approval.${what}_done`),
      onDone: () => {
        // The page of the batch shows nothing of what it was before the decision.
        queries.removeQueries({ queryKey: ['batch', batch_id] });
        go(back);
      },
    },
  );
  const submit = () => {
    if (what === 'approve' || why.check()) action.mutate();
  };
  const close = () => {
    // The batch has changed since the approver saw it, so they look at it again.
    if (codeOf(action.error) === 'CONTENT_CHANGED' || action.error instanceof ChangedByOthers) onChanged();
    onClose();
  };
  return (
    <GuardedDialog
      work={action}
      title={t(`approval.${what}_title`)}
      onClose={close}
      onSubmit={submit}
      submitText={t(`approval.${what}`)}
      look={what === 'approve' ? 'main-action' : 'danger'}
    >
      {what === 'approve' ? (
        <>
          <p>{t('approval.approve_help')}</p>
          <div className="figure-line">
            <span>{t('payments.rows', { count: plan.to_send })}</span>
            <strong>
              <Sums sums={plan.sums} products={plan.products} />
            </strong>
          </div>
        </>
      ) : (
        <TextArea label={t('base.reason')} help={t('approval.reject_help')} {...why.field} />
      )}
    </GuardedDialog>
  );
}
