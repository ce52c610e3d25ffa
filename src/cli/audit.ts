import { AirbatchError } from '../core/errors.ts';
import { requireBatch } from '../engine/acts.ts';
import { latestEvents, pageRowEvents } from '../ledger/audit-pages.ts';
import type { Database } from '../ledger/database.ts';
import { type AuditEvent, chainHash, chainStart, pageEvents } from '../ledger/events.ts';
import { auditSentence } from '../reports/audit-sentences.ts';
import type { CommandContext } from './command.ts';
import { openSession } from './session.ts';

const eventsPerPage = 1_000;
/** Events of all batches that are shown where none is named. */
const latestMax = 100;

/** `airbatch audit`: the history of a batch or a row in sentences, and whether its chain is whole. */
export async function execute(
  context: CommandContext,
  _args: string[],
  options: Record<string, unknown>,
): Promise<number> {
  const session = await openSession(context);
  const { db } = session;
  try {
    if (typeof options.batch !== 'string') {
      if (options.row !== undefined) throw new AirbatchError('USAGE', '--row needs --batch: rows are numbered in it');
      const events = await latestEvents(db, latestMax);
      for (const event of events.reverse()) show(context, event, `${event.batch_id}  `);
      return 0;
    }
    const batch = await requireBatch(db, options.batch);
    const row = options.row === undefined ? null : Number(options.row);
    if (row !== null && !(Number.isInteger(row) && row > 0))
      throw new AirbatchError('USAGE', `--row ${String(options.row)} is no row number`);
    const shown = row === null ? 0 : await showRow(context, db, batch.batch_id, row);
    const { broken, events } = await walk(context, db, batch, row === null);
    if (!context.json) {
      if (row !== null && shown === 0) context.terminal.print(`Nothing has happened to row ${row}: it was not sent.\n`);
      const { terminal } = context;
      terminal.error(
        broken === null
          ? `${terminal.paint('green', '✔')} The chain of ${events} events is whole.\n`
          : `${terminal.paint('red', '✘')} The chain is broken: ${broken}.\n`,
      );
    }
    return broken === null ? 0 : 5;
  } finally {
    await db.close();
  }
}

function show({ terminal, json }: CommandContext, event: AuditEvent, before = ''): void {
  terminal.print(json ? `${JSON.stringify(event)}\n` : `${before}${auditSentence(event)}\n`);
}

async function showRow(context: CommandContext, db: Database, batchId: string, row: number): Promise<number> {
  let shown = 0;
  for (let after = 0; ; ) {
    const page = await pageRowEvents(db, batchId, row, after, eventsPerPage);
    for (const event of page) show(context, event);
    shown += page.length;
    after = page.at(-1)?.seq ?? 0;
    if (page.length < eventsPerPage) return shown;
  }
}

/** Goes through the whole chain, showing it where that is wanted; says where it is broken, if anywhere. */
async function walk(
  context: CommandContext,
  db: Database,
  { batch_id, audit_seq, audit_head }: { batch_id: string; audit_seq: number; audit_head: string },
  shows: boolean,
): Promise<{ broken: string | null; events: number }> {
  let previous = chainStart;
  let seq = 0;
  let broken: string | null = null;
  for (;;) {
    // What is appended meanwhile follows the end that the batch had: it is not looked at.
    const page = (await pageEvents(db, batch_id, seq, eventsPerPage)).filter((event) => event.seq <= audit_seq);
    for (const event of page) {
      if (event.seq !== seq + 1) broken ??= `event ${seq + 1} is missing`;
      if (chainHash(previous, event) !== event.hash)
        broken ??= `event ${event.seq} does not follow from the one before it`;
      previous = event.hash;
      seq = event.seq;
      if (shows) show(context, event);
    }
    if (page.length < eventsPerPage) break;
  }
  if (seq !== audit_seq || previous !== audit_head) broken ??= 'it does not end where the batch says';
  return { broken, events: seq };
}
