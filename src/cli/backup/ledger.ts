import { AirbatchError } from '../../core/basics/errors.ts';
import { checkLedger } from '../../operations/backup/check-ledger.ts';
import { copyLedger } from '../../operations/backup/copy-ledger.ts';
import { migrateLedger } from '../../operations/backup/migrate-ledger.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { answer } from '../base/answer.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { call } from '../session/call.ts';
import { auditFaults } from './backup-text.ts';

interface Options {
  from?: string;
  to?: string;
}

/** `airbatch ledger`: checks the ledger, brings it to this version's schema, or moves it to another place. */
export async function execute(
  context: CommandContext,
  [action = 'check']: string[],
  options: Options,
): Promise<number> {
  if (action === 'check') return check(context);
  if (action === 'migrate') return migrate(context);
  if (action === 'copy') return copy(context, options);
  throw new AirbatchError('USAGE', `"${action}" is not an action`, { hint: 'Write check, migrate or copy.' });
}

async function check(context: CommandContext): Promise<number> {
  const checked = await call(context, checkLedger, {});
  const { ledger, schema, newest, looked_at, faults, moved, audit, is_good } = checked;
  const damage = {
    everything: 'none found: all pages and indexes were read',
    checksums: 'none found: PostgreSQL has found no wrong checksum',
    nothing: 'not looked for: this PostgreSQL keeps no checksums',
  }[looked_at];
  const newer = `it was written by a later version (schema ${schema}, this one knows ${newest})`;
  const older = `"airbatch ledger migrate", or the next start, brings it from schema ${schema} to ${newest}`;
  answer(
    context,
    checked,
    [
      `Ledger    ${ledger}`,
      ...(moved === null ? [] : [moveLine(moved)]),
      `Schema    ${schema === newest ? `${schema}, that of this version` : schema > newest ? newer : older}`,
      ...(faults.length > 0 ? faults.map((fault) => `! ${fault}`) : [`Damage    ${damage}`]),
      ...chainLines(audit),
    ].join('\n'),
  );
  return is_good ? 0 : 5;
}

function moveLine({ state, other_place }: { state: 'left' | 'arriving'; other_place: string }): string {
  if (state === 'left') return `! it was moved to ${other_place}: nothing is sent from it any more`;
  return `! it is a copy of ${other_place} that is not finished: run "airbatch ledger copy" again`;
}

function chainLines(audit: Awaited<ReturnType<typeof checkLedger.run>>['audit']): string[] {
  if (audit === null) return ['Chains    not checked: this version reads its own schema only'];
  const faults = auditFaults(audit);
  if (faults.length > 0) return faults;
  return [
    `Chains    whole: ${counted(audit.chain.events, 'event')} of ${counted(audit.chain.batches, 'batch', 'batches')}`,
  ];
}

async function migrate(context: CommandContext): Promise<number> {
  const done = await call(context, migrateLedger, {});
  const { ledger, before, schema } = done;
  const text =
    before === schema
      ? `${ledger} has the schema of this version (${schema}).`
      : `${ledger} was brought from schema ${before} to ${schema}. Earlier versions refuse it from now on.`;
  answer(context, done, text);
  return 0;
}

async function copy(context: CommandContext, options: Options): Promise<number> {
  const place = (text: string | undefined) => (text?.includes('://') ? text : pathOf(context, text));
  const done = await call(context, copyLedger, { from: place(options.from), to: place(options.to) });
  const { from, to, tables, files_left } = done;
  const records = tables.reduce((sum, table) => sum + table.records, 0);
  const lines = [
    `Moved ${from} to ${to}: ${counted(records, 'record')} of ${counted(tables.length, 'table')}, read back and compared; the audit chains are whole.`,
    `Nothing can be sent from ${from} any more.`,
    ...files_left.map((path) => `Not moved  ${path}: copy it to the folder of the new ledger`),
    'Next       set "ledger" or AIRBATCH_LEDGER_URL to the new place on every machine, then start airbatch again',
  ];
  answer(context, done, lines.join('\n'));
  return 0;
}
