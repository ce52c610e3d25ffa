import { useQuery } from '@tanstack/react-query';
import { answered, api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useSession } from '../../api/session.ts';
import { ButtonLink } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { Card, EmptyCard, Page } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { batchPath, Count, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';

const limit = 200;

/** The batches that wait for a second person. */
export function ApprovalsPage() {
  const { person, roles } = useSession();
  const query = useQuery({
    queryKey: ['batches', 'approvals'],
    queryFn: () =>
      answered(api.GET('/api/v1/batches', { params: { query: { status: ['awaiting_approval'], limit } } })),
    refetchInterval: refresh(),
  });
  return (
    <Page title={t('nav.approvals')}>
      <Loaded query={query}>
        {({ batches }) =>
          batches.length === 0 ? (
            <EmptyCard title={t('approvals.none')}>
              <p>{t('approvals.none_help')}</p>
              {roles.includes('prepare') ? (
                <ButtonLink href="/new">{t('nav.new')}</ButtonLink>
              ) : (
                <ButtonLink href="/">{t('nav.batches')}</ButtonLink>
              )}
            </EmptyCard>
          ) : (
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
                  { id: 'by', label: t('approval.submitted_by'), cell: ({ created_by }) => created_by },
                  { id: 'at', label: t('batches.column.created'), cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    ...{ id: 'open', label: t('held.decide'), isAction: true },
                    cell: ({ batch_id, created_by }) =>
                      created_by === person ? (
                        <span className="quiet small">{t('approval.own')}</span>
                      ) : (
                        <ButtonLink href={`${batchPath(batch_id)}${roles.includes('approve') ? '/approval' : ''}`}>
                          {t(roles.includes('approve') ? 'batch.review' : 'approvals.open')}
                        </ButtonLink>
                      ),
                  },
                ]}
              />
            </Card>
          )
        }
      </Loaded>
    </Page>
  );
}
