import { type Answer, get } from '../../api/client.ts';
import { refresh, usePages } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import { ButtonLink } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card, EmptyCard, Page } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { batchPath, Count, None, Sums, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';

type Batch = Answer<'/api/v1/batches'>['batches'][number];

const limit = 200;

/** The batches that wait for a second person. */
export function ApprovalsPage() {
  const query = usePages(
    ['batches', 'approvals'],
    null as string | null,
    (before) => get('/api/v1/batches', { query: { status: ['awaiting_approval'], limit, with_sums: true, before } }),
    { refetchInterval: refresh() },
  );
  return (
    <Page title={t('nav.approvals')}>
      <Loaded query={query}>{({ pages }) => <Waiting batches={pages.flatMap(({ batches }) => batches)} />}</Loaded>
      <MoreRows query={query} label={t('batches.more')} />
    </Page>
  );
}

function Waiting({ batches }: { batches: readonly Batch[] }) {
  const { roles } = useSession();
  if (batches.length === 0)
    return (
      <EmptyCard title={t('approvals.none')}>
        <p>{t('approvals.none_help')}</p>
        {roles.includes('prepare') ? (
          <ButtonLink href="/new">{t('nav.new')}</ButtonLink>
        ) : (
          <ButtonLink href="/">{t('nav.batches')}</ButtonLink>
        )}
      </EmptyCard>
    );
  return (
    <Card isFlush>
      <Table
        caption={t('nav.approvals')}
        rows={batches}
        keyOf={({ batch_id }) => batch_id}
        stacks
        columns={[
          { id: 'batch', label: t('batches.column.batch'), isHead: true, cell: ({ run_id }) => run_id },
          { id: 'file', label: t('approval.file'), cell: ({ file_name }) => file_name },
          { id: 'account', label: t('batches.column.account'), cell: ({ account }) => account },
          {
            ...{ id: 'rows', label: t('approval.to_pay_rows'), isNumber: true },
            cell: ({ counts }) => <Count of={counts.ready ?? 0} />,
          },
          {
            ...{ id: 'sums', label: t('approval.pays'), isNumber: true },
            cell: ({ to_pay }) => (to_pay === null ? <None /> : <Sums {...to_pay} />),
          },
          { id: 'by', label: t('approval.submitted_by'), cell: ({ created_by }) => created_by },
          { id: 'at', label: t('batches.column.created'), cell: ({ created_at }) => <Time at={created_at} /> },
          {
            ...{ id: 'open', label: t('held.decide'), isAction: true },
            cell: (batch) => <OpenCell batch={batch} />,
          },
        ]}
      />
    </Card>
  );
}

function OpenCell({ batch: { batch_id, created_by } }: { batch: Batch }) {
  const { person, roles } = useSession();
  if (created_by === person) return <span className="quiet small">{t('approval.own')}</span>;
  const mayApprove = roles.includes('approve');
  return (
    <ButtonLink href={`${batchPath(batch_id)}${mayApprove ? '/approval' : ''}`}>
      {t(mayApprove ? 'batch.review' : 'approvals.open')}
    </ButtonLink>
  );
}
