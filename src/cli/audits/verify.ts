import { resolve } from 'node:path';
import type { z } from 'zod';
import type { BatchState } from '../../core/state/batch-state.ts';
import { batchLabel, batchStateTexts } from '../../core/state/state-texts.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { visible } from '../../core/text/visible.ts';
import { verifyReports } from '../../operations/proof/verify-reports.ts';
import { timeText } from '../../reports/sentences/format.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { chooseLedger } from '../../runtime/settings/ledger-place.ts';
import type { CommandContext } from '../base/command.ts';
import { pathOf } from '../base/path-of.ts';
import { call } from '../session/call.ts';

interface VerifyCommandOptions {
  key?: string;
  serviceList?: string;
  anchor?: string;
}
type Verification = z.output<typeof verifyReports.result>;

/**
 * `airbatch verify DIR`: exits with 0 if the reports are whole and unchanged, and with 4 if anything in them is wrong.
 * Exits with 5 if the reports are whole but may be the wrong ones: the folder has the name of another batch, or the
 * ledger or the anchored heads show that the batch has changed since.
 */
export async function execute(
  context: CommandContext,
  [dir = '']: string[],
  { key, serviceList, anchor }: VerifyCommandOptions,
): Promise<number> {
  const { terminal, cwd, ledgerPath, json } = context;
  const { ledger, ledgerUrl } = chooseLedger({ ledger: '', ledgerUrl: null }, { cwd, ledgerPath });
  const result = await call(context, verifyReports, {
    dir: resolve(cwd, dir),
    key: pathOf(context, key),
    service_list: pathOf(context, serviceList),
    anchor: pathOf(context, anchor),
    ledger: ledgerPath && (ledgerUrl ?? ledger),
  });
  if (json) terminal.print(jsonLine(result));
  else show(terminal, result, key !== undefined);
  if (!result.ok) return 4;
  return result.doubts.length > 0 ? 5 : 0;
}

function show(terminal: CommandContext['terminal'], result: Verification, hasKey: boolean): void {
  for (const line of aboutLines(result)) terminal.print(`${visible(line)}\n`);
  for (const sentence of result.ok ? result.checked : [])
    terminal.print(`${terminal.paint('green', '✔')} ${visible(sentence)}\n`);
  for (const sentence of [...result.notes, ...result.doubts])
    terminal.print(`${terminal.paint('yellow', '!')} ${visible(sentence)}\n`);
  for (const { file, message } of result.findings)
    terminal.print(`${terminal.paint('red', '✘')} ${visible(`${file} ${message}`)}\n`);
  if (result.findings_unlisted > 0)
    terminal.print(`${terminal.paint('red', '✘')} and ${counted(result.findings_unlisted, 'finding')} more\n`);
  const isKnown = result.batch_id !== null || result.reconciliation_id !== null;
  if (!isKnown)
    terminal.print(
      '"verify" takes the folder of one batch or reconciliation, as in "airbatch verify reports/BATCH".\n',
    );
  if (result.key_fingerprint) terminal.print(`Signed by the key with SHA-256 fingerprint ${result.key_fingerprint}\n`);
  // The last line is what a reader keeps in mind, and a valid signature proves nothing about a changed file.
  if (!result.ok && isKnown) terminal.print(`${terminal.paint('red', 'These reports are not proven.')}\n`);
  if (result.ok && result.coverage) terminal.print(`${result.coverage}\n`);
  // A forger who rewrites all of the files signs them with a key of their own, and that signature is valid too.
  if (result.ok && !hasKey)
    terminal.print(
      'The reports cannot prove who owns this key: compare the fingerprint with the one that "airbatch key" prints, or add --key.\n',
    );
}

/**
 * What the reports say they are about. The reader compares it with the batch that they meant to verify: the proof
 * itself does not know which batch that is.
 */
function aboutLines(verification: Verification): string[] {
  const { reconciliation_id, batch_id, run_id, file_name, status, version, as_of, rows } = verification;
  if (reconciliation_id !== null) {
    const items = rows === null ? '' : `, ${counted(rows, 'item')}`;
    return [`Reconciliation ${reconciliation_id}${as_of === null ? '' : ` of ${timeText(as_of)}`}${items}`];
  }
  if (batch_id === null) return [];
  const many = rows === null ? [] : [counted(rows, 'row')];
  return [
    `Batch      ${batch_id}`,
    `Run        ${run_id}`,
    ...(file_name === null ? [] : [`File       ${[file_name, ...many].join(', ')}`]),
    ...(status === null ? [] : [`Status     ${statusText(status, verification)}`]),
    ...(as_of === null ? [] : [`Version    ${version ?? 'none yet'}, as of ${timeText(as_of)}`]),
  ];
}

/** The status in the terms of `status` and the reports. An edited file may contain any other text. */
function statusText(status: string, by: Pick<Verification, 'rejected_by' | 'withdrawn_by'>): string {
  if (!Object.hasOwn(batchStateTexts, status)) return status;
  return batchLabel({ status: status as BatchState, rejection: by.rejected_by, ...by });
}
