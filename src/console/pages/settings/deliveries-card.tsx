import { useState } from 'react';
import { change, get } from '../../api/client.ts';
import { refresh, usePages } from '../../api/query-client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { Loaded } from '../../base/failure.tsx';
import { MoreRows } from '../../base/more-rows.tsx';
import { Card, Empty } from '../../base/page.tsx';
import { Badge } from '../../base/state-badge.tsx';
import type { Tone } from '../../base/states.ts';
import { Table } from '../../base/table.tsx';
import { BatchLink, Count, None, Time } from '../../base/values.tsx';
import { useChange } from '../../forms/use-change.ts';
import { systemText } from '../../texts/failure-text.ts';
import { formatCount } from '../../texts/format.ts';
import { t } from '../../texts/i18n.ts';
import { type Delivery, type Endpoint, webhookReads } from './webhook-queries.ts';
import './deliveries.css';

const pageRows = 50;
const tones: Record<Delivery['outcome'], Tone> = { waiting: 'moving', delivered: 'good', failed: 'bad' };

/** What was sent to an endpoint, the newest first. */
export function DeliveriesCard({ endpoint: { endpoint_id, enabled } }: { endpoint: Endpoint }) {
  const [shown, setShown] = useState<Delivery | null>(null);
  const query = usePages(
    ['webhooks', endpoint_id, 'deliveries'],
    null as number | null,
    (after) =>
      get('/api/v1/webhooks/{endpoint_id}/deliveries', { path: { endpoint_id }, query: { limit: pageRows, after } }),
    { refetchInterval: refresh() },
  );
  return (
    <Card isFlush title={t('webhooks.log')}>
      <Loaded query={query}>
        {({ pages }) => {
          const rows = pages.flatMap(({ deliveries }) => deliveries);
          return rows.length > 0 ? (
            <DeliveryTable rows={rows} onShow={setShown} />
          ) : (
            <Empty title={t('webhooks.log_none')}>
              <p>{t(enabled ? 'webhooks.log_none_help' : 'webhooks.log_none_off')}</p>
            </Empty>
          );
        }}
      </Loaded>
      <MoreRows query={query} label={t('webhooks.more')} isInCard />
      {shown !== null && (
        <DeliveryDialog id={endpoint_id} delivery={shown} isEnabled={enabled} onClose={() => setShown(null)} />
      )}
    </Card>
  );
}

function DeliveryTable({ rows, onShow }: { rows: readonly Delivery[]; onShow: (delivery: Delivery) => void }) {
  return (
    <Table
      caption={t('webhooks.log')}
      rows={rows}
      keyOf={({ delivery_no }) => delivery_no}
      stacks
      columns={[
        {
          ...{ id: 'event', label: t('events.what'), isHead: true },
          cell: (delivery) => (
            <Button look="link" onClick={() => onShow(delivery)}>
              {delivery.event}
            </Button>
          ),
        },
        {
          ...{ id: 'batch', label: t('batches.column.batch') },
          cell: ({ batch_id }) => (batch_id === null ? <None /> : <BatchLink id={batch_id} />),
        },
        {
          ...{ id: 'outcome', label: t('webhooks.outcome') },
          cell: ({ outcome }) => (
            <div>
              <Badge tone={tones[outcome]}>{t(`webhooks.outcome.${outcome}`)}</Badge>
            </div>
          ),
        },
        {
          ...{ id: 'attempts', label: t('webhooks.attempts'), isNumber: true },
          cell: ({ attempts }) => <Count of={attempts.length} />,
        },
        { id: 'answer', label: t('webhooks.answer'), cell: ({ attempts }) => <AnswerText attempt={attempts.at(-1)} /> },
        { id: 'at', label: t('events.at'), cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  );
}

function AnswerText({ attempt }: { attempt: Delivery['attempts'][number] | undefined }) {
  if (attempt === undefined) return <None />;
  const { status, error, duration_ms } = attempt;
  return (
    <span>
      {status === null ? (systemText(error ?? '') ?? error) : `HTTP ${status}`}{' '}
      <span className="quiet numbers">{formatCount(duration_ms)} ms</span>
    </span>
  );
}

function DeliveryDialog({
  id,
  delivery,
  isEnabled,
  onClose,
}: {
  id: string;
  delivery: Delivery;
  isEnabled: boolean;
  onClose: () => void;
}) {
  const { delivery_no, message_id, event, body, outcome, due_at, attempts } = delivery;
  const path = { endpoint_id: id, delivery_no };
  const again = useChange(
    () => change('/api/v1/webhooks/{endpoint_id}/deliveries/{delivery_no}/redeliver', { path, body: {} }),
    { reads: webhookReads, done: () => t('webhooks.redeliver_done'), onDone: onClose },
  );
  const isAdmin = useRole('admin');
  const canSend = isAdmin && isEnabled && outcome !== 'waiting';
  return (
    <Dialog
      title={event}
      onClose={onClose}
      {...(canSend ? { onSubmit: () => again.mutate(), submitText: t('webhooks.redeliver') } : {})}
      work={again}
    >
      <p className="small quiet mono wrap">{message_id}</p>
      <pre className="body-text">{JSON.stringify(JSON.parse(body), null, 2)}</pre>
      {attempts.length > 0 && (
        <Table
          caption={t('webhooks.attempts')}
          rows={attempts}
          keyOf={({ at }) => at}
          columns={[
            { id: 'at', label: t('events.at'), isHead: true, cell: ({ at }) => <Time at={at} isExact /> },
            { id: 'answer', label: t('webhooks.one_answer'), cell: (attempt) => <AnswerText attempt={attempt} /> },
          ]}
        />
      )}
      {due_at !== null && (
        <p>
          {t('webhooks.next')} <Time at={due_at} isExact />
        </p>
      )}
    </Dialog>
  );
}
