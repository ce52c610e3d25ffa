import { useState } from 'react';
import { useLocation, useParams } from 'wouter';
import { change } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Button, ButtonLink } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Failure, Loaded } from '../../base/failure.tsx';
import { Card, EmptyCard, Facts, Page } from '../../base/page.tsx';
import { Time } from '../../base/values.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import { DeliveriesCard } from './deliveries-card.tsx';
import { EndpointDialog, EndpointSecret } from './endpoint-dialog.tsx';
import { EndpointState } from './settings-page.tsx';
import { type Endpoint, useEndpoints, webhookReads } from './webhook-queries.ts';

/** One endpoint of webhooks, and what was sent to it. */
export function EndpointPage() {
  const { id = '' } = useParams<{ id: string }>();
  const query = useEndpoints();
  return (
    <Loaded query={query}>
      {({ endpoints }) => {
        const endpoint = endpoints.find(({ endpoint_id }) => endpoint_id === id);
        if (endpoint !== undefined) return <EndpointView endpoint={endpoint} />;
        return (
          <Page title={t('webhooks.title')}>
            <EmptyCard title={t('webhooks.gone')}>
              <ButtonLink href="/settings">{t('nav.settings')}</ButtonLink>
            </EmptyCard>
          </Page>
        );
      }}
    </Loaded>
  );
}

type Asked = 'change' | 'rotate' | 'delete';

function EndpointView({ endpoint }: { endpoint: Endpoint }) {
  const { endpoint_id, url, events, accounts, enabled, earlier_secret_until, created_by, created_at } = endpoint;
  const isAdmin = useRole('admin');
  const [asked, setAsked] = useState<Asked | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const path = { endpoint_id };
  const toggle = useChange(
    () => change('/api/v1/webhooks/{endpoint_id}/change', { path, body: { enabled: !enabled } }),
    { reads: webhookReads, done: () => t(enabled ? 'webhooks.disable_done' : 'webhooks.enable_done') },
  );
  const close = () => setAsked(null);
  return (
    <Page
      title={t('webhooks.title')}
      sub={<span className="wrap">{url}</span>}
      actions={
        isAdmin && (
          <>
            <Button onClick={() => setAsked('change')}>{t('base.change')}</Button>
            <Button isBusy={toggle.isPending} onClick={() => toggle.mutate()}>
              {t(enabled ? 'base.disable' : 'base.enable')}
            </Button>
            <Button onClick={() => setAsked('rotate')}>{t('webhooks.rotate')}</Button>
            <Button look="danger" onClick={() => setAsked('delete')}>
              {t('webhooks.delete')}
            </Button>
          </>
        )
      }
    >
      {toggle.error !== null && <Failure error={toggle.error} />}
      <Card>
        <Facts
          facts={[
            [t('base.state'), <EndpointState key="state" endpoint={endpoint} />],
            [t('webhooks.events'), events.length === 0 ? t('webhooks.all') : events.join(', ')],
            [t('shell.accounts'), accounts.length === 0 ? t('webhooks.all') : accounts.join(', ')],
            earlier_secret_until !== null && [t('webhooks.earlier'), <Time key="until" at={earlier_secret_until} />],
            [t('webhooks.made'), <Made key="made" at={created_at} by={created_by} />],
          ]}
        />
      </Card>
      <DeliveriesCard endpoint={endpoint} />
      {asked === 'change' && <EndpointDialog endpoint={endpoint} onClose={close} />}
      {asked === 'rotate' && (
        <RotateDialog
          id={endpoint_id}
          onClose={close}
          onDone={(made) => {
            close();
            setSecret(made);
          }}
        />
      )}
      {asked === 'delete' && <DeleteDialog id={endpoint_id} onClose={close} />}
      {secret !== null && <EndpointSecret secret={secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}

function Made({ at, by }: { at: string; by: string }) {
  return (
    <>
      <Time at={at} /> <span className="quiet">{by}</span>
    </>
  );
}

function RotateDialog({ id, onClose, onDone }: { id: string; onClose: () => void; onDone: (secret: string) => void }) {
  const rotate = useChange(
    () => change('/api/v1/webhooks/{endpoint_id}/rotate-secret', { path: { endpoint_id: id }, body: {} }),
    { reads: webhookReads, onDone: ({ secret }) => onDone(secret) },
  );
  return (
    <Dialog
      title={t('webhooks.rotate')}
      onClose={onClose}
      onSubmit={() => rotate.mutate()}
      submitText={t('webhooks.rotate')}
      work={rotate}
    >
      <p>{t('webhooks.rotate_help')}</p>
    </Dialog>
  );
}

function DeleteDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [, navigate] = useLocation();
  const remove = useChange(
    () => change('/api/v1/webhooks/{endpoint_id}/delete', { path: { endpoint_id: id }, body: {} }),
    { reads: webhookReads, done: () => t('webhooks.delete_done'), onDone: () => navigate('/settings') },
  );
  return (
    <Dialog
      title={t('webhooks.delete')}
      onClose={onClose}
      onSubmit={() => remove.mutate()}
      submitText={t('webhooks.delete')}
      look="danger"
      work={remove}
    >
      <p>{t('webhooks.delete_help')}</p>
    </Dialog>
  );
}
