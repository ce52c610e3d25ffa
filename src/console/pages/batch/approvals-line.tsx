import { Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import type { BatchStatus } from './batch-queries.ts';

/** Who has approved a batch so far, of how many people, until when, and who may. */
export function ApprovalsLine({ approvals }: { approvals: BatchStatus['approvals'] }) {
  const { needed, given, ends_at, may_approve } = approvals;
  if (needed === 0) return null;
  return (
    <p>
      <strong>{t('batch.approvals', { given: given.length, needed })}</strong>
      {given.length > 0 && ` ${t('batch.approvals_by', { people: given.map(({ person }) => person).join(', ') })}`}
      {given.length < needed && may_approve !== null && ` · ${nextText(may_approve)}`}
      {ends_at !== null && (
        <>
          {' '}
          · {t('batch.approve_until')} <Time at={ends_at} />
        </>
      )}
    </p>
  );
}

function nextText(may: readonly string[]): string {
  if (may.length === 0) return t('batch.nobody_may_approve', { role: t('role.approve') });
  return t('batch.may_approve', { people: may.join(', ') });
}
