import type { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import type { ThrottleWait } from '../../core/time/throttle-wait.ts';
import type { Actor } from '../../ledger/actor.ts';
import { requireRole } from '../../runtime/session/roles.ts';
import { openSession, type Session, type SessionOptions } from '../../runtime/session/session.ts';
import type { Role } from '../../runtime/settings/config-shape.ts';

/**
 * What an operation does with the ledger: `change` needs one that exists (`LEDGER_MISSING`), `read` finds nothing in
 * one that does not, and makes none; `none` opens none at all, so that it works while a ledger is missing or damaged.
 */
export type LedgerUse = 'change' | 'read' | 'none';

interface Described<Input extends z.ZodType, Result extends z.ZodType> {
  /** A verb and its object: `pause-batch`. Its file has the same name. */
  name: string;
  input: Input;
  /** The contract: `--json`, and later the HTTP response. Names are in snake_case, times in ISO 8601. */
  result: Result;
}

/** An operation that a role allows: it works with the configuration, and mostly with the ledger. */
interface RoleOperation<Input extends z.ZodType, Result extends z.ZodType> extends Described<Input, Result> {
  role: Role;
  ledger: LedgerUse;
  run(context: OperationContext, input: z.output<Input>): Promise<z.output<Result>>;
}

/** An operation for anybody who has the files that it reads: neither configuration nor ledger is opened. */
interface OpenOperation<Input extends z.ZodType, Result extends z.ZodType> extends Described<Input, Result> {
  role: null;
  run(context: Pick<OperationContext, 'onNote' | 'nameOf'>, input: z.output<Input>): Promise<z.output<Result>>;
}

/** One use case: what it takes, who may do it, and what comes of it. Every door calls the same one. */
export type Operation<Input extends z.ZodType = z.ZodType, Result extends z.ZodType = z.ZodType> =
  | RoleOperation<Input, Result>
  | OpenOperation<Input, Result>;

/** What an operation works with. */
export interface OperationContext {
  session: Session;
  /** Who acts. */
  actor: Actor;
  /** Tells whoever waits for the result what takes long. */
  onNote: (text: string) => void;
  /** Shows a wait that the service has asked for until it is over; undefined where nobody watches. */
  onWait: ((wait: ThrottleWait) => Promise<void>) | undefined;
  /** How the door calls a field of the input: see `Door`. */
  nameOf: Door['nameOf'];
}

/** What a door gives of itself. */
export interface Door {
  place: Omit<SessionOptions, 'onlyIfThere' | 'onlyReads' | 'noLedger'>;
  onNote: (text: string) => void;
  onWait?: OperationContext['onWait'];
  /** How the door calls a field of the input in its own language: `why` is `--why` on a command line. */
  nameOf: (field: string) => string;
}

/** Gives an operation the types of its own schemas. */
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
 * Checks the input, opens the ledger, checks the role of whoever acts, does the operation, and closes the ledger.
 * Throws `USAGE` for an input that does not fit its schema, `ROLE_MISSING`, or what the operation itself throws.
 */
export async function perform<Input extends z.ZodType, Result extends z.ZodType>(
  operation: Operation<Input, Result>,
  door: Door,
  input: z.input<Input>,
): Promise<z.output<Result>> {
  const checked = checkInput(operation, door, input);
  if (operation.role === null) return operation.run(door, checked);
  const session = await openFor(operation.ledger, door);
  try {
    return await runAllowed(session, operation, door, checked);
  } finally {
    await session.db.close();
  }
}

/** As `perform`, in a session that is open already: for several operations in a row, and for doors that stay open. */
export async function performIn<Input extends z.ZodType, Result extends z.ZodType>(
  session: Session,
  operation: Operation<Input, Result>,
  door: Omit<Door, 'place'>,
  input: z.input<Input>,
): Promise<z.output<Result>> {
  const checked = checkInput(operation, door, input);
  return operation.role === null ? operation.run(door, checked) : runAllowed(session, operation, door, checked);
}

async function runAllowed<Input extends z.ZodType, Result extends z.ZodType>(
  session: Session,
  { role, run }: RoleOperation<Input, Result>,
  { onNote, onWait, nameOf }: Omit<Door, 'place'>,
  checked: z.output<Input>,
): Promise<z.output<Result>> {
  requireRole(session, role);
  return await run({ session, actor: session, onNote, onWait, nameOf }, checked);
}

/** The session for an operation with that use of the ledger. The caller closes `db`. */
export function openFor(ledger: LedgerUse, { place }: Pick<Door, 'place'>): Promise<Session> {
  const use = { onlyReads: ledger === 'read', onlyIfThere: ledger === 'change', noLedger: ledger === 'none' };
  return openSession({ ...place, ...use });
}

function checkInput<Input extends z.ZodType>(
  { input: schema }: Pick<Operation<Input>, 'input'>,
  { nameOf }: Pick<Door, 'nameOf'>,
  input: unknown,
): z.output<Input> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const { message = '', path = [] } = issue ?? {};
  const hint = issue?.code === 'custom' ? issue.params?.hint : undefined;
  const [field] = path;
  throw new AirbatchError('USAGE', field === undefined ? message : `${nameOf(String(field))} ${message}`, {
    ...(typeof hint === 'string' ? { hint } : {}),
  });
}
