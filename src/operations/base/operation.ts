import type { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { refusal } from '../../core/basics/refusal.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import { noteNumbersSeen } from '../../ledger/access/number-views.ts';
import type { Actor } from '../../ledger/actor.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { withAccount } from '../../runtime/accounts/with-account.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import { openSession, type Session, type SessionOptions } from '../../runtime/session/session.ts';
import type { Role } from '../../runtime/settings/config-shape.ts';
import type { OperationEvent, Question } from './events.ts';
import { requireVisible } from './visible.ts';

/**
 * How an operation uses the ledger. `make` creates a missing ledger. `change` needs an existing one (`LEDGER_MISSING`).
 * `read` treats a missing ledger as empty and does not create it. `none` does not open it, so that the operation works
 * while the ledger is missing or damaged.
 */
export type LedgerUse = 'make' | 'change' | 'read' | 'none';

interface Described<Input extends z.ZodType, Result extends z.ZodType> {
  /** A verb and its object: `pause-batch`. Its file has the same name. */
  name: string;
  input: Input;
  /** The contract: `--json` and the HTTP response. Names are in snake_case, times in ISO 8601. */
  result: Result;
  /** Whether the operation asks a question before it continues. A door that cannot answer is refused at once. */
  asks?: (input: z.output<Input>) => boolean;
}

/** An operation that needs a role. It uses the configuration and, in most cases, the ledger. */
export interface RoleOperation<Input extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType>
  extends Described<Input, Result> {
  role: Role;
  ledger: LedgerUse | ((input: z.output<Input>) => LedgerUse);
  /** Whether an auditor may do it, too: who has the role `audit` by name, not only because of another role. */
  mayAudit?: boolean;
  /** Whether it shows a caller only what belongs to the accounts that the caller may see, without a name of one. */
  showsOnlyVisible?: boolean;
  /**
   * If it shows complete phone numbers of a batch or a draft: of what, and to callers with which role. The log of
   * access keeps each view by somebody who is signed in.
   */
  showsNumbers?: { of: string; role: Role };
  run(context: OperationContext, input: z.output<Input>): Promise<z.output<Result>>;
}

/** An operation for anybody who can read its files. It opens neither the configuration nor the ledger. */
export interface OpenOperation<Input extends z.ZodType, Result extends z.ZodType> extends Described<Input, Result> {
  role: null;
  run(context: Door, input: z.output<Input>): Promise<z.output<Result>>;
}

/** One use case: its input, who may do it, and its result. Every door calls the same operation. */
export type Operation<Input extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType> =
  | RoleOperation<Input, Result>
  | OpenOperation<Input, Result>;

/** What an operation works with. */
export interface OperationContext {
  session: Session;
  /** Who acts. */
  actor: Actor;
  /** Opens the named account (see `chooseAccount`) for the duration of the work. */
  withAccount: WithAccount;
  /** Reports an event. */
  emit: (event: OperationEvent) => void;
  /** How often progress is reported (ms). */
  progressMs: number;
  /** Asks the caller a question, and resolves with whether the caller agrees. */
  ask: (question: Question) => Promise<boolean>;
  /** Aborted when the operation must stop: it ends what it has begun, and begins nothing more. */
  signal: AbortSignal;
  /** Whether another part of this program works on the account's batches. Then the operation leaves that work to it. */
  leavesWork: boolean;
  /** Set if the scheduler runs a job, with nobody watching. */
  scheduled: ScheduledRun | undefined;
  /** Shows a wait that the service has asked for until it is over; undefined if nobody watches. */
  onWait: ((wait: ThrottleWait) => Promise<void>) | undefined;
  /** The door's name for an input field: see `Door`. */
  nameOf: (field: string) => string;
}

export interface ScheduledRun {
  /** The jobs as the program has loaded them. */
  jobs: readonly Job[];
  /**
   * Called if an error that may pass has ended the attempt. Returns for how long (ms) the slot has had nothing but such
   * errors.
   */
  passingTrouble: () => number;
}

export type WithAccount = <Result>(
  name: string | undefined,
  work: (account: OpenAccount) => Promise<Result>,
) => Promise<Result>;

/** What a door provides: how it shows events, answers questions and stops the work. */
export interface Door extends Partial<Omit<OperationContext, 'session' | 'actor' | 'nameOf'>> {
  /** The door's name for an input field: `why` is `--why` on a command line. */
  nameOf: OperationContext['nameOf'];
}

/** The locations of the configuration and the ledger for an operation. */
export type Place = Omit<SessionOptions, 'onlyIfThere' | 'onlyReads' | 'noLedger'>;

/** Infers the types of an operation from its own schemas. */
export function defineOperation<Input extends z.ZodType, Result extends z.ZodType>(
  operation: RoleOperation<Input, Result>,
): RoleOperation<Input, Result>;
export function defineOperation<Input extends z.ZodType, Result extends z.ZodType>(
  operation: OpenOperation<Input, Result>,
): OpenOperation<Input, Result>;
export function defineOperation<Input extends z.ZodType, Result extends z.ZodType>(
  operation: Operation<Input, Result>,
): Operation<Input, Result> {
  return operation;
}

/**
 * Checks the input, opens the ledger, checks the caller's role, runs the operation, and closes the ledger. Throws
 * `USAGE` if the input does not fit its schema, `CONFIRMATION_NEEDED` if the door cannot answer the operation's
 * question, `ROLE_MISSING`, and the operation's own errors.
 */
export async function perform<Input extends z.ZodType, Result extends z.ZodType>(
  operation: Operation<Input, Result>,
  door: Door & { place: Place },
  input: z.input<Input>,
): Promise<z.output<Result>> {
  const checked = checkInput(operation, door, input);
  if (operation.role === null) return operation.run(door, checked);
  const { ledger } = operation;
  const session = await openFor(typeof ledger === 'function' ? ledger(checked) : ledger, door.place);
  try {
    return await runAllowed(session, operation, door, checked);
  } finally {
    await session.db.close();
  }
}

/**
 * The same as `perform`, in a session that is already open: for several operations in a row, and for doors that stay
 * open.
 */
export async function performIn<Input extends z.ZodType, Result extends z.ZodType>(
  session: Session,
  operation: Operation<Input, Result>,
  door: Door,
  input: z.input<Input>,
): Promise<z.output<Result>> {
  const checked = checkInput(operation, door, input);
  return operation.role === null ? operation.run(door, checked) : runAllowed(session, operation, door, checked);
}

async function runAllowed<Input extends z.ZodType, Result extends z.ZodType>(
  session: Session,
  operation: RoleOperation<Input, Result>,
  door: Door,
  checked: z.output<Input>,
): Promise<z.output<Result>> {
  await requireAllowed(session, operation, checked as object);
  const result = await operation.run(contextOf(session, door), checked);
  await noteSeen(session, operation, checked as { batch_id?: string; draft_id?: string });
  return result;
}

/** Notes that a signed-in caller sees complete phone numbers, before they are shown. */
async function noteSeen(
  session: Session,
  { showsNumbers }: Pick<RoleOperation, 'showsNumbers'>,
  { batch_id, draft_id }: { batch_id?: string; draft_id?: string },
): Promise<void> {
  if (showsNumbers === undefined || session.grant?.roles.includes(showsNumbers.role) !== true) return;
  const subject = batch_id === undefined ? { draft_id: draft_id ?? null } : { batch_id };
  await noteNumbersSeen(session, { subject, what: showsNumbers.of });
}

/** Throws as `requireRole` and `requireVisible` do if the person may not do this, and as `refuseUnreadable` does. */
export async function requireAllowed(
  session: Session,
  operation: Pick<RoleOperation, 'role' | 'mayAudit' | 'showsOnlyVisible'>,
  input: object,
): Promise<void> {
  requireRoleFor(session, operation);
  refuseUnreadable(input);
  await requireVisible(session, operation, input);
}

/** Throws as `requireRole` does if the person may not do this at all, whatever the input is. */
export function requireRoleFor(session: Session, { role, mayAudit }: Pick<RoleOperation, 'role' | 'mayAudit'>): void {
  const isAuditor = mayAudit === true && session.grant?.roles.includes('audit') === true;
  if (!isAuditor) requireRole(session, role);
}

/** Opens the session for an operation with this use of the ledger. The caller closes `db`. */
export function openFor(ledger: LedgerUse, place: Place): Promise<Session> {
  const use = { onlyReads: ledger === 'read', onlyIfThere: ledger === 'change', noLedger: ledger === 'none' };
  return openSession({ ...place, ...use });
}

/** The context of an operation, with defaults for what a door leaves out. */
function contextOf(session: Session, door: Door): OperationContext {
  return {
    session,
    actor: session,
    withAccount: (name, work) => withAccount(session, name, work),
    emit: () => undefined,
    progressMs: progressMsDefault,
    ask: async () => false,
    signal: new AbortController().signal,
    leavesWork: false,
    scheduled: undefined,
    onWait: undefined,
    ...door,
  };
}

/** How often progress is reported if the door does not set it. */
const progressMsDefault = 1_000;

function checkInput<Input extends z.ZodType>(
  { input: schema, asks }: Pick<Operation<Input>, 'input' | 'asks'>,
  { nameOf, ask }: Door,
  input: unknown,
): z.output<Input> {
  const parsed = schema.safeParse(input);
  if (parsed.success) {
    if (ask === undefined && asks?.(parsed.data))
      throw new AirbatchError('CONFIRMATION_NEEDED', 'airbatch must ask before it sends, and nobody can answer here');
    return parsed.data;
  }
  const [issue] = parsed.error.issues;
  const { path = [] } = issue ?? {};
  const message = issue?.code === 'invalid_value' ? choiceText(issue.values, path, input) : (issue?.message ?? '');
  const { hint: given, code = 'USAGE' } = (issue?.code === 'custom' ? issue.params : undefined) ?? {};
  // A hint that names other fields uses the door's names for them.
  const hint = typeof given === 'function' ? given(nameOf) : given;
  const [field, ...within] = path;
  // The place in a list helps nobody who wrote the value itself.
  const places = issue?.code === 'invalid_value' ? within.filter((part) => typeof part !== 'number') : within;
  const name = field === undefined ? '' : [nameOf(String(field)), ...places].join(' ');
  // A message that is no predicate begins with its own subject: '"KSH" is not a currency code'.
  const separator = name === '' ? '' : /^[a-z]/.test(message) ? ' ' : ': ';
  throw new AirbatchError(code, `${name}${separator}${message}`, {
    // Other codes have a text of their own.
    reason: code === 'USAGE' && field !== undefined ? refusal('INPUT_REFUSED', { fields: String(field) }) : null,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** No input has lists or objects so deep. A body of a megabyte can, deeper than any function can call itself. */
const depthMax = 32;

/** Throws `USAGE` if a text has a U+0000, which PostgreSQL can neither keep nor look for, or if a field is too deep. */
export function refuseUnreadable(input: object): void {
  for (const [field, value] of Object.entries(input)) {
    const fault = faultOf(value, 0);
    if (fault !== null)
      throw new AirbatchError('USAGE', `${field} ${fault}`, { reason: refusal('INPUT_REFUSED', { fields: field }) });
  }
}

function faultOf(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return value.includes('\0') ? 'has a character U+0000' : null;
  const isPlain = typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
  if (!isPlain && !Array.isArray(value)) return null;
  if (depth === depthMax) return `has lists or objects more than ${depthMax} deep`;
  for (const one of Object.values(value)) {
    const fault = faultOf(one, depth + 1);
    if (fault !== null) return fault;
  }
  return null;
}

/** What can be chosen instead of the value at this path: `takes "paid" or "not-paid", not "maybe"`. */
function choiceText(values: readonly unknown[], path: readonly PropertyKey[], input: unknown): string {
  const given = path.reduce<unknown>((value, part) => (value as Record<PropertyKey, unknown> | null)?.[part], input);
  const choices = values.map((value) => JSON.stringify(value));
  const last = choices.length > 1 ? ` or ${choices.pop()}` : '';
  return `takes ${choices.join(', ')}${last}${given === undefined ? '' : `, not ${JSON.stringify(given)}`}`;
}
