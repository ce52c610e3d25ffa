import { useState } from 'react';
import { Link } from 'wouter';
import { mayOversee, useRole, useSession } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Loaded } from '../../base/failure.tsx';
import { Card, Empty, NoRole, Page } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import { Table } from '../../base/table.tsx';
import { Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import { ConfigurationCard } from './configuration-card.tsx';
import { EndpointDialog, EndpointSecret } from './endpoint-dialog.tsx';
import { type Endpoint, useEndpoints } from './webhook-queries.ts';

/** The settings: programs that receive events, and the configuration. Auditors see both and change nothing. */
export function SettingsPage() {
  const isSeen = mayOversee(useSession());
  return (
    <Page title={t('nav.settings')}>
      {isSeen ? <Webhooks /> : <NoRole title={t('settings.admin_only')} needs="admin" />}
      {isSeen && <ConfigurationCard />}
    </Page>
  );
}

function Webhooks() {
  const isAdmin = useRole('admin');
  const query = useEndpoints();
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <Card
      isFlush
      title={t('webhooks.title')}
      actions={
        isAdmin && (
          <Button look="main-action" onClick={() => setMaking(true)}>
            {t('webhooks.new')}
          </Button>
        )
      }
    >
      <p className="card-note">{t('webhooks.sub')}</p>
      <Loaded query={query}>{({ endpoints }) => <EndpointTable endpoints={endpoints} />}</Loaded>
      {isMaking && (
        <EndpointDialog
          endpoint={null}
          onClose={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false);
            setSecret(made);
          }}
        />
      )}
      {secret !== null && <EndpointSecret secret={secret} onClose={() => setSecret(null)} />}
    </Card>
  );
}

function EndpointTable({ endpoints }: { endpoints: readonly Endpoint[] }) {
  if (endpoints.length === 0)
    return (
      <Empty title={t('webhooks.none')}>
        <p>{t('webhooks.none_help')}</p>
      </Empty>
    );
  return (
    <Table
      caption={t('webhooks.title')}
      rows={endpoints}
      keyOf={({ endpoint_id }) => endpoint_id}
      stacks
      columns={[
        {
          ...{ id: 'url', label: t('webhooks.url'), isHead: true },
          cell: ({ endpoint_id, url }) => (
            <Link href={`/settings/webhooks/${encodeURIComponent(endpoint_id)}`} className="wrap">
              {url}
            </Link>
          ),
        },
        { id: 'state', label: t('base.state'), cell: (one) => <EndpointState endpoint={one} /> },
        {
          ...{ id: 'events', label: t('webhooks.events') },
          cell: ({ events }) =>
            events.length === 0 ? t('webhooks.all') : events.map((event) => <div key={event}>{event}</div>),
        },
        {
          ...{ id: 'accounts', label: t('shell.accounts') },
          cell: ({ accounts }) => (accounts.length === 0 ? t('webhooks.all') : accounts.join(', ')),
        },
        {
          ...{ id: 'made', label: t('webhooks.made') },
          cell: ({ created_at, created_by }) => (
            <div>
              <Time at={created_at} />
              <div className="small quiet">{created_by}</div>
            </div>
          ),
        },
      ]}
    />
  );
}

export function EndpointState({ endpoint: { enabled, failed_at } }: { endpoint: Endpoint }) {
  if (enabled)
    return (
      <div>
        <Badge tone="good">{t('webhooks.enabled')}</Badge>
      </div>
    );
  return (
    <div>
      <Badge tone={failed_at === null ? 'neutral' : 'bad'}>{t('webhooks.disabled')}</Badge>
      {failed_at !== null && (
        <div className="small quiet">
          {t('webhooks.failed')} <Time at={failed_at} />
        </div>
      )}
    </div>
  );
}
