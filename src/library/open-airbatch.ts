import type { z } from 'zod';
import { AirbatchError, hintForPrograms } from '../core/basics/errors.ts';
import * as operations from '../operations/all.ts';
import {
  type Question as AskedQuestion,
  operationEvent,
  question,
  type OperationEvent as ReportedEvent,
} from '../operations/base/events.ts';
import { type Operation, performIn } from '../operations/base/operation.ts';
import type { OpenAccount } from '../runtime/accounts/account.ts';
import { openChosen } from '../runtime/accounts/with-account.ts';
import { openSession, type Session } from '../runtime/session/session.ts';
import { chosenAccountName } from '../runtime/settings/config.ts';
import { type CamelInput, type CamelOutput, camelName, camelNames, snakeNames } from './names.ts';
import { beginWork, type Question, type Work } from './work.ts';

/** Where airbatch finds its configuration and its ledger. */
export interface AirbatchOptions {
  /** Relative paths in the options and in the configuration start from this folder; default: the working directory. */
  cwd?: string;
  /** The environment variables, with secrets and settings; default: `process.env`. */
  env?: Record<string, string | undefined>;
  /** The configuration file; default: `airbatch.config.json` or `.ts` in `cwd`. */
  config?: string;
  /** The ledger; default: as configured. It is created if there is none. */
  ledger?: string;
  /** Who acts; default: the operating system's name for the user of the process. */
  person?: string;
  /** Where the log goes, one JSON object a line; default: stderr. */
  log?: NodeJS.WritableStream;
}

/** How the caller stops an operation, answers its questions and sets how often it reports progress. */
export interface Attending {
  /** Stops the operation when it is aborted: nothing more is sent, and requests in flight end. */
  signal?: AbortSignal;
  /** Answers the operation's question: whether to send a file. The question contains the file's plan. */
  ask?: (question: Question) => Promise<boolean>;
  /** How often progress is reported, in ms; default: 1,000. */
  progressMs?: number;
}

type Input<Of extends { input: z.ZodType }> = CamelInput<Of['input']>;

/** An operation as a method. Its input may be left out if it has no required fields. */
type Method<Of extends { input: z.ZodType; result: z.ZodType }> = (
  ...given: object extends Input<Of> ? [input?: Input<Of>, how?: Attending] : [input: Input<Of>, how?: Attending]
) => Work<CamelOutput<Of['result']>>;

/**
 * All operations as methods. The accounts that they use stay open, with their rate limits, until airbatch is closed.
 */
export type Airbatch = { [Name in keyof typeof operations]: Method<(typeof operations)[Name]> } & AsyncDisposable;

/**
 * Opens the configuration and the ledger for the caller's program. `await using` closes them: it stops running
 * operations and waits for their end. Throws as `openSession` does.
 */
export async function openAirbatch(options: AirbatchOptions = {}): Promise<Airbatch> {
  const { cwd = process.cwd(), env = process.env, config, ledger, person, log: stderr } = options;
  const opened = await openSession({
    ...{ cwd, env, configPath: config, ledgerPath: ledger, screen: null, through: 'library' },
    ...(stderr === undefined ? {} : { stderr }),
  });
  const session = person === undefined ? opened : { ...opened, person };
  const accounts = keepAccounts(session);
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  const begin = (operation: Operation, input: object, { signal, ask, ...how }: Attending) =>
    beginWork((emit) => {
      const signals = [closing.signal, ...(signal === undefined ? [] : [signal])];
      const door = {
        ...how,
        ...(ask === undefined ? {} : { ask: (asked: AskedQuestion) => ask(camelNames(question, asked)) }),
        emit: (event: ReportedEvent) => emit(camelNames(operationEvent, event)),
        ...{ withAccount: accounts.use, nameOf: camelName, signal: AbortSignal.any(signals) },
      };
      const work = performIn(session, operation, door, snakeNames(operation.input, input)).then(
        (result) => camelNames(operation.result, result),
        (error: unknown) => Promise.reject(withOwnHint(error)),
      );
      underWay.add(work);
      const forget = () => underWay.delete(work);
      work.then(forget, forget);
      return work;
    });
  const methods = Object.entries(operations).map(([name, operation]) => [
    name,
    (input: object = {}, how: Attending = {}) => begin(operation as Operation, input, how),
  ]);
  return Object.assign(Object.fromEntries(methods), {
    async [Symbol.asyncDispose]() {
      closing.abort();
      await Promise.allSettled(underWay);
      await accounts.close();
      await session.db.close();
    },
  });
}

/** The error with a hint for programs, if it has one. */
function withOwnHint(error: unknown): unknown {
  if (!(error instanceof AirbatchError)) return error;
  return new AirbatchError(error.code, error.faults, { hint: hintForPrograms(error, camelName), cause: error });
}

/**
 * Accounts that stay open between operations: an account that is opened anew does not know what was sent a moment ago.
 */
function keepAccounts(session: Session) {
  const open = new Map<string, Promise<OpenAccount>>();
  const opened = (given: string | undefined) => {
    const name = chosenAccountName(session.config, given);
    const account = open.get(name) ?? openChosen(session, given);
    open.set(name, account);
    account.catch(() => open.delete(name));
    return account;
  };
  return {
    use: async <Result>(name: string | undefined, work: (account: OpenAccount) => Promise<Result>) =>
      work(await opened(name)),
    async close() {
      for (const account of open.values()) await (await account).close();
    },
  };
}
