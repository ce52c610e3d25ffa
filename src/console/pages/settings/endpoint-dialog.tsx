import { useState } from 'react';
import { change } from '../../api/client.ts';
import { Dialog } from '../../base/dialog.tsx';
import { Field } from '../../base/field.tsx';
import { SecretDialog } from '../../forms/secret-dialog.tsx';
import { useChange } from '../../forms/use-change.ts';
import { t } from '../../texts/i18n.ts';
import { type Endpoint, type WebhookEvent, webhookEvents, webhookReads } from './webhook-queries.ts';
import '../../styles/choices.css';

/** Makes an endpoint, or changes one. The address of one stays, because its query is not shown. */
export function EndpointDialog({
  endpoint,
  onClose,
  onMade,
}: {
  endpoint: Endpoint | null;
  onClose: () => void;
  onMade?: (secret: string) => void;
}) {
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<readonly WebhookEvent[]>(endpoint?.events ?? []);
  const [accounts, setAccounts] = useState(endpoint?.accounts.join(', ') ?? '');
  const [isChecked, setChecked] = useState(false);
  const action = useChange(
    async () => {
      const chosen = { events: [...events], accounts: accounts.split(',').flatMap((name) => name.trim() || []) };
      if (endpoint === null) return (await change('/api/v1/webhooks', { body: { url: url.trim(), ...chosen } })).secret;
      const path = { endpoint_id: endpoint.endpoint_id };
      await change('/api/v1/webhooks/{endpoint_id}/change', { path, body: chosen, etag: endpoint.etag });
      return null;
    },
    {
      reads: webhookReads,
      done: (secret) => (secret === null ? t('webhooks.changed') : null),
      onDone: (secret) => (secret === null ? onClose() : onMade?.(secret)),
    },
  );
  const isAddress = endpoint !== null || URL.canParse(url.trim());
  return (
    <Dialog
      title={endpoint === null ? t('webhooks.new') : t('base.change')}
      onClose={onClose}
      onSubmit={() => {
        setChecked(true);
        if (isAddress) action.mutate();
      }}
      work={action}
    >
      {endpoint === null && (
        <Field
          label={t('webhooks.url')}
          help={t('webhooks.url_help')}
          type="url"
          inputMode="url"
          autoComplete="off"
          value={url}
          onText={setUrl}
          fault={isChecked && !isAddress ? t('webhooks.url_fault') : null}
        />
      )}
      <EventChoice chosen={events} onChoose={setEvents} />
      <Field
        label={t('shell.accounts')}
        help={t('webhooks.accounts_help')}
        autoComplete="off"
        value={accounts}
        onText={setAccounts}
      />
    </Dialog>
  );
}

/** The secret that signs what an endpoint receives. */
export function EndpointSecret(about: { secret: string; onClose: () => void }) {
  return <SecretDialog title={t('webhooks.secret')} help={t('webhooks.secret_help')} {...about} />;
}

function EventChoice({
  chosen,
  onChoose,
}: {
  chosen: readonly WebhookEvent[];
  onChoose: (events: readonly WebhookEvent[]) => void;
}) {
  const toggle = (event: WebhookEvent) =>
    onChoose(chosen.includes(event) ? chosen.filter((one) => one !== event) : [...chosen, event]);
  return (
    <fieldset className="choices">
      <legend>{t('webhooks.events')}</legend>
      <p className="help">{t('webhooks.events_help')}</p>
      {webhookEvents.map((event) => (
        <label key={event}>
          <input type="checkbox" checked={chosen.includes(event)} onChange={() => toggle(event)} />
          <code>{event}</code>
        </label>
      ))}
    </fieldset>
  );
}
