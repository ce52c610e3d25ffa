import type { ReactNode } from 'react';
import { hasText, type TextId, t } from '../texts/i18n.ts';
import { Table } from './table.tsx';
import { None, Time } from './values.tsx';

/** An event of the audit chain, as `list-events` has it. */
export interface ChainEvent {
  batch_id: string;
  seq: number;
  at: number;
  actor: string;
  kind: string;
  row_no: number | null;
  body: string;
}

const known = {
  'batch.received': 'event.batch.received',
  'batch.validate': 'event.batch.validate',
  'batch.request_approval': 'event.batch.request_approval',
  'batch.approve': 'event.batch.approve',
  'batch.start': 'event.batch.start',
  'batch.pause': 'event.batch.pause',
  'batch.resume': 'event.batch.resume',
  'batch.complete': 'event.batch.complete',
  'batch.cancel': 'event.batch.cancel',
  'batch.reject': 'event.batch.reject',
  'batch.reopen': 'event.batch.reopen',
  'batch.reorder': 'event.batch.reorder',
  'batch.report': 'event.batch.report',
  'batch.forget': 'event.batch.forget',
  'batch.give_approval': 'event.batch.give_approval',
  'batch.void_approvals': 'event.batch.void_approvals',
  'batch.pause_added': 'event.batch.pause_added',
  'batch.pause_cleared': 'event.batch.pause_cleared',
  'batch.boost': 'event.batch.boost',
  'batch.canary_passed': 'event.batch.canary_passed',
  'batch.draft': 'event.batch.draft',
  'batch.exclude_row': 'event.batch.exclude_row',
  'batch.service_moved': 'event.batch.service_moved',
  'batch.unlisted': 'event.batch.unlisted',
  'row.send': 'event.row.send',
  'row.accept': 'event.row.accept',
  'row.complete': 'event.row.complete',
  'row.fail': 'event.row.fail',
  'row.doubt': 'event.row.doubt',
  'row.look_up': 'event.row.look_up',
  'row.adopt': 'event.row.adopt',
  'row.escalate': 'event.row.escalate',
  'row.assign': 'event.row.assign',
  'row.overdue': 'event.row.overdue',
  'row.hold': 'event.row.hold',
  'row.release': 'event.row.release',
  'row.skip': 'event.row.skip',
  'row.cancel': 'event.row.cancel',
  'row.retry': 'event.row.retry',
  'row.unsent': 'event.row.unsent',
  'row.refund': 'event.row.refund',
  'row.contradicted': 'event.row.contradicted',
  'row.changed_late': 'event.row.changed_late',
  'row.mend': 'event.row.mend',
  'row.unknown_status': 'event.row.unknown_status',
  'row.late_charge': 'event.row.late_charge',
  'numbers.read': 'event.numbers.read',
  'report.read': 'event.report.read',
  'reconciliation.note': 'event.reconciliation.note',
  // Chains of earlier versions keep these names.
  'batch.ask_approval': 'event.batch.request_approval',
  'batch.pause_besides': 'event.batch.pause_added',
  'batch.press': 'event.batch.boost',
  'row.review': 'event.row.escalate',
} as const satisfies Record<string, TextId>;

/** What happened, in the reader's language; an unknown kind is shown unchanged. */
export function eventText(kind: string): string {
  if (kind in known) return t(known[kind as keyof typeof known]);
  const ofAccess = `access.${kind}`;
  return hasText(ofAccess) ? t(ofAccess) : kind;
}

/** Members without meaning for a person: keys, digests, states that the kind already says. Times are hidden, too. */
const hidden = new Set(['from', 'to', 'key', 'reference', 'through']);
const hiddenEnds = ['_at', '_sha256'];

/** The rest of an event: `why: wrong month · evidence: ...`. */
export function detailOf({ body }: Pick<ChainEvent, 'body'>): string {
  const data = JSON.parse(body) as Record<string, unknown>;
  return Object.entries(data)
    .filter(
      ([name, value]) =>
        !hidden.has(name) && !hiddenEnds.some((end) => name.endsWith(end)) && value !== null && value !== '',
    )
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(' · ');
}

/** Sums and balances are JSON of an object in a text: `KES 500 · USD 2`. */
function textOf(value: unknown): string {
  if (typeof value === 'string' && value.startsWith('{"')) return textOf(JSON.parse(value));
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, one]) => `${name} ${textOf(one)}`)
    .join(', ');
}

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
        { id: 'who', label: t('events.who'), cell: ({ actor }) => actor },
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
