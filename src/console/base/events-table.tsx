import { t } from '../texts/i18n.ts';
import { actorName, type ChainEvent, detailOf, eventName } from './event-text.ts';
import { type Column, Table } from './table.tsx';
import { BatchLink, None, Time } from './values.tsx';

/** Events as a table. `ofBatches`: whether they are of several batches, which are then named. */
export function EventsTable({ events, ofBatches = false }: { events: readonly ChainEvent[]; ofBatches?: boolean }) {
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
        { id: 'what', label: t('events.what'), isHead: true, cell: eventName },
        { id: 'who', label: t('events.who'), cell: ({ actor }) => actorName(actor) },
        ...(ofBatches ? [batchColumn()] : []),
        { id: 'row', label: t('rows.row'), isNumber: true, cell: ({ row_no }) => row_no ?? <None /> },
        {
          id: 'detail',
          label: t('batch.tab.details'),
          cell: (event) => detailOf(event) && <span className="small quiet wrap">{detailOf(event)}</span>,
        },
      ]}
    />
  );
}

function batchColumn(): Column<ChainEvent> {
  return { id: 'batch', label: t('batches.column.batch'), cell: ({ batch_id }) => <BatchLink id={batch_id} /> };
}
