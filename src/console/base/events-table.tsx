import type { ReactNode } from 'react';
import { t } from '../texts/i18n.ts';
import { actorName, type ChainEvent, detailOf, eventText } from './event-text.ts';
import { Table } from './table.tsx';
import { None, Time } from './values.tsx';

/** Events as a table. `batchCell` shows the batch of each, if there are several. */
export function EventsTable({
  events,
  batchCell,
}: {
  events: readonly ChainEvent[];
  batchCell?: (id: string) => ReactNode;
}) {
  return (
    <Table
      caption={t('events.title')}
      rows={events}
      keyOf={({ batch_id, seq }) => `${batch_id} ${seq}`}
      stacks
      columns={[
        {
          id: 'at',
          label: t('events.at'),
          cell: ({ at }) => (
            <span className="numbers nowrap">
              <Time at={at} isExact />
            </span>
          ),
        },
        { id: 'what', label: t('events.what'), isHead: true, cell: ({ kind }) => eventText(kind) },
        { id: 'who', label: t('events.who'), cell: ({ actor }) => actorName(actor) },
        ...(batchCell === undefined
          ? []
          : [
              {
                id: 'batch',
                label: t('batches.column.batch'),
                cell: ({ batch_id }: ChainEvent) => batchCell(batch_id),
              },
            ]),
        { id: 'row', label: t('rows.row'), isNumber: true, cell: ({ row_no }) => row_no ?? <None /> },
        {
          id: 'detail',
          label: t('events.detail'),
          cell: (event) => detailOf(event) && <span className="small quiet wrap">{detailOf(event)}</span>,
        },
      ]}
    />
  );
}
