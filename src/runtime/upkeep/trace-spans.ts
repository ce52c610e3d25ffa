import { presentKind } from '../../ledger/audit/event-kinds.ts';
import { type AuditEvent, readData } from '../../ledger/audit/events.ts';

/** A part of a batch's way in time: what OpenTelemetry calls a span. Parents come before their children. */
export interface TraceSpan {
  name: string;
  /** The place of its parent in the list; null: the batch itself. */
  parent: number | null;
  /** Epoch ms. */
  from: number;
  to: number;
  attributes: Record<string, string | number | boolean>;
  hasFailed: boolean;
  events: { name: string; at: number; attributes: TraceSpan['attributes'] }[];
}

/** What an event begins, by its kind; null: it ends what was under way. Other events only happen meanwhile. */
const phaseAfter: Readonly<Record<string, string | null>> = {
  'row.send': 'request',
  'row.doubt': 'in doubt',
  'row.accept': 'at the service',
  'row.adopt': 'at the service',
  'row.unsent': 'waiting to be sent again',
  'row.retry': 'waiting to be sent again',
  'row.escalate': 'waiting for a person',
  'row.complete': null,
  'row.fail': null,
};

/** Facts of an event that name no person and repeat no text of a file: nothing else of it leaves the ledger. */
const facts = ['attempt', 'generation', 'http_status', 'code', 'request_id', 'topup_id', 'service_status'] as const;

function attributesOf(body: string): TraceSpan['attributes'] {
  const data = readData(body);
  return Object.fromEntries(
    facts.flatMap((name) => {
      const value = data[name];
      return typeof value === 'string' || typeof value === 'number' ? [[`airbatch.${name}`, value]] : [];
    }),
  );
}

/**
 * The way of a batch from its intake to its reports, and of its first `rowsMax` rows, from its events in their order.
 * `ended`: the last events of the batch, if `events` does not reach so far.
 */
export function traceSpans(
  batch: { batch_id: string; account: string },
  { events, ended, rowsMax }: { events: readonly AuditEvent[]; ended: readonly AuditEvent[]; rowsMax: number },
): TraceSpan[] {
  const lastSeq = events.at(-1)?.seq ?? 0;
  const all = [...events, ...ended.filter(({ seq }) => seq > lastSeq)].map((event) => ({
    ...event,
    kind: presentKind(event.kind),
  }));
  const times = all.map(({ at }) => at);
  const common = { 'airbatch.batch_id': batch.batch_id, 'airbatch.account': batch.account };
  const whole = span('batch', null, { from: Math.min(...times), to: Math.max(...times), attributes: common });
  const spans = [whole];
  const ofBatch = all.filter(({ row_no }) => row_no === null);
  const firstAt = (kind: string) => ofBatch.find((event) => event.kind === kind)?.at;
  const lastAt = (kind: string) => ofBatch.findLast((event) => event.kind === kind)?.at;
  const steps: [name: string, from: number | undefined, to: number | undefined][] = [
    ['intake', firstAt('batch.received'), firstAt('batch.validate')],
    ['approval', firstAt('batch.validate'), firstAt('batch.approve')],
    ['waiting to begin', firstAt('batch.approve'), firstAt('batch.start')],
    ['payments', firstAt('batch.start'), lastAt('batch.complete')],
    ['reports', lastAt('batch.complete'), lastAt('batch.report')],
  ];
  for (const [name, from, to] of steps)
    if (from !== undefined && to !== undefined && to >= from) spans.push(span(name, 0, { from, to }));
  const rows = Map.groupBy(
    all.filter(({ row_no }) => row_no !== null),
    ({ row_no }) => row_no as number,
  );
  for (const [rowNo, own] of [...rows]
    .filter(([, own]) => own.some(({ kind }) => kind === 'row.send'))
    .slice(0, rowsMax))
    addRow(spans, rowNo, own);
  return spans;
}

/** A row with its phases: what it waited for, and for how long. */
function addRow(spans: TraceSpan[], rowNo: number, own: readonly AuditEvent[]): void {
  const [first] = own;
  const last = own.at(-1);
  if (!first || !last) return;
  const row = span('row', 0, { from: first.at, to: last.at, attributes: { 'airbatch.row': rowNo } });
  row.hasFailed = own.findLast(({ kind }) => phaseAfter[kind] !== undefined)?.kind === 'row.fail';
  const parent = spans.push(row) - 1;
  let phase: TraceSpan | null = null;
  for (const { kind, at, body } of own) {
    const attributes = attributesOf(body);
    row.events.push({ name: kind, at, attributes });
    const next = phaseAfter[kind];
    if (next === undefined) continue;
    if (phase !== null) phase.to = at;
    phase = next === null ? null : span(next, parent, { from: at, to: last.at, attributes });
    if (phase !== null) spans.push(phase);
  }
}

function span(
  name: string,
  parent: number | null,
  { from, to, attributes = {} }: { from: number; to: number; attributes?: TraceSpan['attributes'] },
): TraceSpan {
  return { name, parent, from, to, attributes, hasFailed: false, events: [] };
}
