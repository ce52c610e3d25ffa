import type { z } from 'zod';
import { operations } from '../operations/all.ts';
import type { Question } from '../operations/base/events.ts';
import { type Operation, performIn } from '../operations/base/operation.ts';
import type { OpenAccount } from '../runtime/accounts/account.ts';
import { openMeant } from '../runtime/accounts/with-account.ts';
import { openSession, type Session } from '../runtime/session/session.ts';
import { sandboxAccountName } from '../runtime/settings/account-config.ts';
import { chooseAccount } from '../runtime/settings/config.ts';
import { beginWork, type Work } from './work.ts';

/** Where airbatch finds its configuration and its ledger. */
export interface AirbatchOptions {
  /** The folder that relative paths of the options and of the configuration begin at; default: that of the process. */
  cwd?: string;
  /** Where secrets and settings are looked for; default: `process.env`. */
  env?: Record<string, string | undefined>;
  /** The configuration file; default: `airbatch.config.json` or `.ts` in `cwd`. */
  config?: string;
  /** The ledger; default: as configured. It is created if there is none. */
  ledger?: string;
  /** Who acts; default: who runs the process, as the operating system knows them. */
  person?: string;
  /** Where the log goes, a JSON object a line; default: stderr. */
  log?: NodeJS.WritableStream;
}

/** How a caller attends to an operation. */
export interface Attending {
  /** Stops the operation when it is aborted: nothing more is sent, and what is in flight ends. */
  signal?: AbortSignal;
  /** Answers what the operation asks: whether a file is sent, whose plan is in the question. */
  ask?: (question: Question) => Promise<boolean>;
  /** How often progress is reported, in ms; default: 1,000. */
  progressMs?: number;
}

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The same object with its own names in camelCase; what is within them keeps its names. */
type CamelNames<Input> = { [Name in keyof Input as Name extends string ? CamelCase<Name> : Name]: Input[Name] };

type Input<Of extends { input: z.ZodType }> = CamelNames<z.input<Of['input']>>;

/** An operation as a method: its input may be left out where nothing in it is needed. */
type Method<Of extends { input: z.ZodType; result: z.ZodType }> = (
  ...given: object extends Input<Of> ? [input?: Input<Of>, how?: Attending] : [input: Input<Of>, how?: Attending]
) => Work<z.output<Of['result']>>;

/** All operations as methods. The accounts that they use stay open, with their rate limits, until it is closed. */
export type Airbatch = { [Name in keyof typeof operations]: Method<(typeof operations)[Name]> } & AsyncDisposable;

/**
 * Opens the configuration and the ledger for a program of one's own. `await using` closes them: what is under way is
 * stopped, and waited for. Throws as `openSession`.
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
  const begin = (operation: Operation, input: object, { signal, ...how }: Attending) =>
    beginWork((emit) => {
      const signals = [closing.signal, ...(signal === undefined ? [] : [signal])];
      const door = { ...how, emit, withAccount: accounts.use, nameOf: camelName, signal: AbortSignal.any(signals) };
      const work = performIn(session, operation, door, snakeNames(input));
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

/** Accounts that stay open between operations: one that is opened anew does not know what was sent a moment ago. */
function keepAccounts(session: Session) {
  const open = new Map<string, Promise<OpenAccount>>();
  const opened = (given: string | undefined) => {
    const name = chooseAccount(session.config, given)?.name ?? sandboxAccountName;
    const account = open.get(name) ?? openMeant(session, given);
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

const camelName = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const snakeName = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function snakeNames(input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [snakeName(name), value]));
}
