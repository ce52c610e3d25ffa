import { useQuery } from '@tanstack/react-query';
import { change, get } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Card } from '../../base/page.tsx';
import { Table } from '../../base/table.tsx';
import { Time } from '../../base/values.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import { SessionPlace } from './session-place.tsx';

const key = ['sessions'] as const;

/** Who is signed in; administrators can sign them out. */
export function SessionsPanel() {
  const isAdmin = useRole('admin');
  const sessions = useQuery({ queryKey: key, queryFn: () => get('/api/v1/sessions') });
  const revoke = useChange(
    (session_id: string) => change('/api/v1/sessions/{session_id}/revoke', { path: { session_id }, body: {} }),
    { reads: [key], done: () => t('people.signed_out') },
  );
  const endButton = (session_id: string) => (
    <Button onClick={() => revoke.mutate(session_id)} isBusy={revoke.isPending}>
      {t('people.sign_out')}
    </Button>
  );
  return (
    <Card isFlush title={t('people.tab.sessions')}>
      {revoke.error !== null && <Failure error={revoke.error} />}
      <Loaded query={sessions}>
        {({ sessions: rows }) => (
          <Table
            caption={t('people.tab.sessions')}
            rows={rows}
            keyOf={({ session_id }) => session_id}
            stacks
            columns={[
              { id: 'name', label: t('sign_in.name'), isHead: true, cell: ({ name }) => name },
              { id: 'since', label: t('base.since'), cell: ({ signed_in_at }) => <Time at={signed_in_at} /> },
              { id: 'seen', label: t('people.seen'), cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
              { id: 'from', label: t('people.from'), cell: (session) => <SessionPlace {...session} /> },
              ...(isAdmin
                ? [
                    {
                      ...{ id: 'end', label: t('people.sign_out'), isAction: true },
                      cell: ({ session_id }: { session_id: string }) => endButton(session_id),
                    },
                  ]
                : []),
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
