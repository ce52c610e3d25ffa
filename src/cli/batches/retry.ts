import { jsonLine } from '../../core/text/json-output.ts';
import { visible } from '../../core/text/visible.ts';
import { requireBatch } from '../../engine/batches/batch-commands.ts';
import { moveService, requireService } from '../../engine/batches/moved-service.ts';
import { retryFailed } from '../../engine/decisions/retry-failed.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { requestDepsFor } from '../../runtime/accounts/throttled-requests.ts';
import { withAccount } from '../../runtime/accounts/with-account.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import type { CommandContext } from '../base/command.ts';
import { interruptedExitCode } from '../base/exit-codes.ts';
import { saysRestored } from '../base/restored.ts';
import { closingLines, jsonResult } from '../running/closing.ts';
import { writeEarlierReports } from '../running/missing-reports.ts';
import { reportOn, workOn } from '../running/work.ts';
import { outOf, withLedger } from '../session/session.ts';

/**
 * `airbatch retry BATCH [--code CODE]...`: failed rows are paid under a new generation, after a look at all earlier
 * ones.
 */
export function execute(
  context: CommandContext,
  [batchId = '']: string[],
  options: Record<string, unknown>,
): Promise<number> {
  return withLedger(context, async (session) => {
    requireRole(session, 'operate');
    const batch = await requireBatch(session.db, batchId);
    return withAccount(session, batch.account, async (account) => {
      if (options.serviceMoved === true) await moveService(session, batchId, account.service);
      else requireService(batch, account.service);
      const codes = (options.code as string[] | undefined) ?? [];
      const retry = await retryFailed(session, await requestDepsFor(account, session), batchId, { codes });
      if (!context.json) {
        const isUnknown = codes.length > 0 && retry.kept.length === 0;
        const none = isUnknown
          ? `No row of this batch has failed with ${visible(codes.join(' or '))}: see the lines "Failed" for the codes that occurred.\n`
          : 'No row of this batch has failed in a way that can be tried again.\n';
        const some = `Trying ${counted(retry.retried, 'failed row')} again.\n`;
        context.terminal.error(retry.retried === 0 ? none : some);
        for (const { row, why } of retry.kept) context.terminal.error(`  Row ${row} stays failed: ${visible(why)}.\n`);
      }
      const what = { batchIds: [batchId], out: outOf(context, session, options.out) };
      // Who has nothing tried again, by a code that is misspelt perhaps, means no other row to be sent either.
      const [result] =
        retry.retried === 0
          ? await reportOn(context, session, account, what)
          : await workOn(context, session, account, {
              ...what,
              restored: await saysRestored(session, options.restored),
            });
      if (!result) return 0;
      if (result.exitCode !== interruptedExitCode) await writeEarlierReports(context, session);
      if (context.json) context.terminal.print(jsonLine({ retry, ...jsonResult(result) }));
      else context.terminal.error(closingLines(context.terminal, result, context.cwd));
      return result.exitCode;
    });
  });
}
