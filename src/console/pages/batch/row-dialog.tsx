import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { answered, api } from '../../api/client.ts';
import { useRole } from '../../api/session.ts';
import { Button } from '../../base/button.tsx';
import { Dialog } from '../../base/dialog.tsx';
import { detailOf, eventText } from '../../base/events-table.tsx';
import { Loaded } from '../../base/failure.tsx';
import { Facts } from '../../base/page.tsx';
import { RowBadge } from '../../base/state-badge.tsx';
import { None, Time } from '../../base/values.tsx';
import { t } from '../../texts/i18n.ts';
import type { Row } from './batch-queries.ts';
import { ResolveDialog } from './resolve-dialog.tsx';
import { Asked, Cost } from './row-values.tsx';

const eventsMax = 200;

/** All that is known of one row: what it asks for, what became of it, and every step on the way. */
export function RowDialog({ batchId, row, onClose }: { batchId: string; row: Row; onClose: () => void }) {
  const [isResolving, setResolving] = useState(false);
  const mayResolve = useRole('resolve');
  const { row_no } = row;
  const query = useQuery({
    queryKey: ['batch', batchId, 'row', row_no],
    queryFn: async () => {
      const path = { batch_id: batchId, row: row_no };
      const [shown, history] = await Promise.all([
        answered(api.GET('/api/v1/batches/{batch_id}/rows/{row}', { params: { path } })),
        answered(api.GET('/api/v1/events', { params: { query: { ...path, limit: eventsMax } } })),
      ]);
      return { ...shown, events: history.events };
    },
  });
  if (isResolving) return <ResolveDialog batchId={batchId} rowNo={row_no} onClose={onClose} />;
  const isOpen = row.status === 'in_doubt' || row.status === 'accepted';
  return (
    <Dialog title={t('rows.one', { row: row_no })} onClose={onClose}>
      <Facts facts={factsOf(row)} />
      <Loaded query={query}>
        {({ problems, events }) => (
          <>
            {problems.map(({ code, message, suggestion }) => (
              <div key={code + message} className="notice tone-attention">
                <p>{message}</p>
                <p className="small">{suggestion}</p>
              </div>
            ))}
            <h3>{t('rows.history')}</h3>
            <ol className="history">
              {events.map((event) => (
                <li key={event.seq}>
                  <div className="line between">
                    <strong>{eventText(event.kind)}</strong>
                    <span className="small quiet">
                      <Time at={event.at} isExact /> · {event.actor}
                    </span>
                  </div>
                  <div className="small quiet wrap">{detailOf(event)}</div>
                </li>
              ))}
            </ol>
          </>
        )}
      </Loaded>
      {isOpen && mayResolve && (
        <div>
          <Button onClick={() => setResolving(true)}>{t('resolve.open')}</Button>
        </div>
      )}
    </Dialog>
  );
}

function factsOf(row: Row): [string, ReactNode][] {
  const { status, person, phone_number, line, row_ref, topup_id, service_status, reason, sent_at, paid_by } = row;
  return [
    [t('rows.state'), <RowBadge key="state" state={status} />],
    [t('rows.person'), person ?? <None key="none" />],
    [t('rows.phone'), phone_number ?? <None key="none" />],
    [t('rows.amount'), <Asked key="asked" row={row} />],
    [t('rows.cost'), <Cost key="cost" row={row} />],
    [t('rows.line'), line],
    ...(row_ref === null ? [] : [[t('rows.ref'), row_ref] as [string, ReactNode]]),
    ...(sent_at === null ? [] : [[t('rows.sent'), <Time key="sent" at={sent_at} isExact />] as [string, ReactNode]]),
    ...(topup_id === null ? [] : [[t('rows.topup'), <code key="id">{topup_id}</code>] as [string, ReactNode]]),
    ...(service_status === null ? [] : [[t('rows.service_status'), service_status] as [string, ReactNode]]),
    ...(reason === null ? [] : [[t('rows.why'), reason] as [string, ReactNode]]),
    ...(paid_by === null ? [] : [[t('rows.paid_by'), paid_by] as [string, ReactNode]]),
  ];
}
