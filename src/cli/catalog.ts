import Table from 'cli-table3';
import { AirbatchError } from '../core/errors.ts';
import type { ReadProblem, RequestClass } from '../gateway/gateway.ts';
import { type OpenAccount, openAccount } from '../runtime/account.ts';
import { chooseAccount } from '../runtime/config.ts';
import type { CommandContext } from './main.ts';
import { openSession } from './session.ts';

/** Opens the account that a command names, does one thing with it, and closes it again. */
export async function withAccount<Result>(
  context: CommandContext,
  name: string | undefined,
  work: (account: OpenAccount) => Promise<Result>,
): Promise<Result> {
  const session = await openSession(context);
  try {
    const account = await openAccount(chooseAccount(session.config, name), session);
    try {
      return await work(account);
    } finally {
      await account.close();
    }
  } finally {
    await session.db.close();
  }
}

/** Asks the service once, and turns a read without an answer into an error that says why. */
export async function ask<Answer extends { kind: string }>(
  account: OpenAccount,
  requestClass: RequestClass,
  read: () => Promise<Answer | ReadProblem>,
): Promise<Exclude<Answer, ReadProblem>> {
  const outcome = await account.limiter.admit(requestClass, read);
  if (outcome.kind === 'throttled' || outcome.kind === 'account_blocked' || outcome.kind === 'unavailable') {
    const { evidence } = outcome as ReadProblem;
    const code = outcome.kind === 'account_blocked' ? 'CREDENTIALS_REJECTED' : 'SERVICE_UNREACHABLE';
    throw new AirbatchError(
      code,
      `the service of account "${account.name}" gave no answer: ${evidence.code}, ${evidence.message}`,
    );
  }
  return outcome as Exclude<Answer, ReadProblem>;
}

/** Prints a table for people, or the same as JSON. */
export function printTable(
  context: CommandContext,
  head: readonly string[],
  lines: readonly (readonly string[])[],
  json: unknown,
): void {
  if (context.json) {
    context.terminal.print(`${JSON.stringify(json)}\n`);
    return;
  }
  const table = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const line of lines) table.push([...line]);
  context.terminal.print(lines.length === 0 ? 'None.\n' : `${table.toString()}\n`);
}
