import { useQuery } from '@tanstack/react-query';
import { change, get } from '../../api/client.ts';
import { Button } from '../../base/button.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Card } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Time } from '../../base/values.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import { SessionPlace } from './session-place.tsx';

const key = ['own-sessions'] as const;

/** Where the person is signed in, and a way to sign out elsewhere. */
export function OwnSessions() {
  const query = useQuery({ queryKey: key, queryFn: () => get('/api/v1/session/all') });
  const end = useChange((session_id: string) => change('/api/v1/session/end', { body: { session_id } }), {
    reads: [key],
    done: () => t('people.signed_out'),
  });
  return (
    <Card isFlush title={t('people.tab.sessions')}>
      {end.error !== null && <Failure error={end.error} />}
      <Loaded query={query}>
        {({ sessions }) => (
          <Table
            caption={t('people.tab.sessions')}
            rows={sessions}
            keyOf={({ session_id }) => session_id}
            stacks
            columns={[
              {
                ...{ id: 'from', label: t('people.from'), isHead: true },
                cell: (session) => <SessionPlace {...session} />,
              },
              { id: 'since', label: t('base.since'), cell: ({ signed_in_at }) => <Time at={signed_in_at} /> },
              { id: 'seen', label: t('people.seen'), cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
              {
                ...{ id: 'end', label: t('people.sign_out'), isAction: true },
                cell: ({ session_id, is_own }) =>
                  is_own ? (
                    <Badge tone="good">{t('account.this_session')}</Badge>
                  ) : (
                    <Button isBusy={end.isPending} onClick={() => end.mutate(session_id)}>
                      {t('people.sign_out')}
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
