import { resolve } from 'node:path';
import { AirbatchError } from '../core/errors.ts';
import { isRunId } from '../core/ids.ts';
import { approve, cancelUnsent } from '../engine/acts.ts';
import { type Preflight, preflight } from '../engine/preflight.ts';
import type { Balance } from '../gateway/gateway.ts';
import { type IntakeResult, intakeFile } from '../intake/intake.ts';
import type { Priority } from '../ledger/batches.ts';
import { durationText, sumsText } from '../reports/format.ts';
import { counted } from '../reports/words.ts';
import { type OpenAccount, openAccount } from '../runtime/account.ts';
import { accountCatalog } from '../runtime/catalog.ts';
import { chooseAccount, sandboxAccountName } from '../runtime/config.ts';
import { program } from '../runtime/version.ts';
import { closingLines, jsonResult } from './closing.ts';
import { intakeSettingsWith, understoodLines } from './intake-options.ts';
import type { CommandContext } from './main.ts';
import { type Reading, startReading } from './reading.ts';
import { openSession, type Session } from './session.ts';

import { interruptedExitCode, workOn } from './work.ts';

interface RunOptions {
  account?: string;
  runId?: string;
  out?: string;
  priority: Priority;
  yes?: boolean;
  restored?: boolean;
}

/** `airbatch run FILE`: from a file to a reconciled result. */
export async function execute(
  context: CommandContext,
  [file = '']: string[],
  given: Record<string, unknown>,
): Promise<number> {
  const options = given as unknown as RunOptions;
  const { terminal } = context;
  if (options.yes !== true && !terminal.canAsk) {
    throw new AirbatchError('CONFIRMATION_NEEDED', 'there is no terminal on which to ask whether to send');
  }
  if (options.runId !== undefined && !isRunId(options.runId)) {
    throw new AirbatchError('RUN_ID_INVALID', `"${options.runId}" is not a run id`);
  }
  const session = await openSession(context);
  const accountConfig = chooseAccount(session.config, options.account);
  const account = await openAccount(accountConfig, session);
  const reading = startReading(terminal);
  try {
    const intake = await readFile(context, session, account, file, options, reading);
    const batchId = intake.batch.batch_id;
    const plan = await plannedWork(context, session, account, intake);
    if (
      plan.toSend > 0 &&
      options.yes !== true &&
      !(await terminal.confirm(`Send ${counted(plan.toSend, 'row')}? [y/N] `))
    ) {
      await cancelUnsent({ ...session, name: session.person }, batchId, 'declined at the question');
      terminal.error('Nothing was sent.\n');
      return interruptedExitCode;
    }
    await approve({ ...session, name: session.person }, batchId, plan.balance);
    if (reading.signal.aborted) {
      await cancelUnsent({ ...session, name: session.person }, batchId, 'interrupted before anything was sent');
      return interruptedExitCode;
    }
    reading.end();
    const out = options.out ? resolve(context.cwd, options.out) : session.config.out;
    const [result] = await workOn(context, session, account, {
      batchIds: [batchId],
      out,
      restored: options.restored === true,
    });
    if (!result) return interruptedExitCode;
    if (context.json) terminal.print(`${JSON.stringify(jsonResult(result))}\n`);
    else terminal.error(closingLines(terminal, result, context.cwd));
    return result.exitCode;
  } catch (error) {
    if (reading.signal.aborted) return interruptedExitCode;
    throw error;
  } finally {
    reading.dispose();
    await account.close();
    await session.db.close();
  }
}

async function readFile(
  { terminal, cwd }: CommandContext,
  session: Session,
  account: OpenAccount,
  file: string,
  options: RunOptions,
  { signal, onProgress }: Reading,
): Promise<IntakeResult> {
  if (account.isSandbox) {
    terminal.error(
      `${terminal.paint('yellow', 'Rehearsal')} at the embedded sandbox: no money moves (account "${sandboxAccountName}").\n`,
    );
  }
  return intakeFile(session, {
    account: account.name,
    service: account.service,
    runId: options.runId ?? null,
    file: file === '-' ? '-' : resolve(cwd, file),
    createdBy: session.person,
    program,
    priority: options.priority,
    settings: intakeSettingsWith(session.config.intake, { ...options }),
    policy: session.config.policy,
    catalog: accountCatalog(account),
    onProgress,
    signal,
  });
}

/** Reads the balance, adds up, and shows what would be sent. */
async function plannedWork(
  context: CommandContext,
  session: Session,
  account: OpenAccount,
  findings: IntakeResult,
): Promise<Preflight> {
  const { batch } = findings;
  const balance = await account.limiter.admit('balance', () => account.gateway.balance());
  if (balance.kind === 'account_blocked') {
    throw new AirbatchError(
      'CREDENTIALS_REJECTED',
      `the service rejects the credentials of account "${account.name}"`,
      {
        hint: `Correct the credentials and run the file again: nothing was sent. (${balance.evidence.code})`,
      },
    );
  }
  const plan = await preflight(session.db, batch, balance, account.limiter.usage('creation'));
  if (context.json) return plan;
  context.terminal.error(planLines(plan, account, findings));
  return plan;
}

function planLines(plan: Preflight, account: OpenAccount, findings: IntakeResult): string {
  const { counts } = plan;
  const { batch_id: batchId, run_id: runId } = findings.batch;
  const lines = [`Batch      ${batchId} (run ${runId})`, `Account    ${account.name}, ${account.service}`];
  const asides = [
    [counts.invalid, 'wrong in the file'],
    [counts.held, 'held for a person'],
    [counts.skipped, 'already paid'],
  ] as const;
  const aside = asides.flatMap(([count, what]) => (count ? [`${count} ${what}`] : []));
  lines.push(
    `File       ${counted(plan.rows, 'row')}: ${plan.toSend} to pay${aside.length > 0 ? `, ${aside.join(', ')}` : ''}`,
  );
  lines.push(...understoodLines(findings));
  const products = plan.products > 0 ? `${plan.products === 1 ? '1 product' : `${plan.products} products`}` : '';
  const amounts = sumsText(plan.sums);
  if (plan.toSend > 0) lines.push(`To pay     ${[amounts, products].filter(Boolean).join(', and ')}`);
  if (plan.balance) {
    const held = balanceTexts(plan.balance.wallets);
    lines.push(
      `Balance    ${plan.balance.total ? `${sumsText({ [plan.balance.total.currency]: plan.balance.total.value })} in all: ` : ''}${held.join('; ')}`,
    );
  } else {
    lines.push(`Balance    could not be read (${plan.balanceTrouble})`);
  }
  for (const { currency, missing } of plan.short)
    lines.push(`Short of   ${sumsText({ [currency]: missing })}: the batch will pause when the money runs out`);
  if (plan.toSend > 0)
    lines.push(
      `Time       ${plan.estimateMs < 1_000 ? 'a few seconds' : `about ${durationText(plan.estimateMs)}`} at the rate the service allows`,
    );
  return `${lines.join('\n')}\n`;
}

/** What each active wallet holds; balances that name neither a currency nor a purse of their own (V1) are only counted. */
function balanceTexts(wallets: Balance['wallets']): string[] {
  const active = wallets.filter((wallet) => wallet.active);
  const named = active.filter(({ currency }) => currency !== '');
  const unnamed = active.length - named.length;
  const texts = named.map(({ currency, balance }) => sumsText({ [currency]: balance }));
  if (unnamed > 0)
    texts.push(`${counted(unnamed, 'network')} with a balance of its own ("airbatch balance" shows them)`);
  return texts;
}
