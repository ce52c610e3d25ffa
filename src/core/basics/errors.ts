/**
 * Every error that a user can meet, by its stable code, with the exit code of the command and the advice. Exit code 6
 * means that the same command fails again until a person has acted, so systemd does not restart `serve`. Exit code 5
 * may pass by itself, for example when a disk is full. A hint that names commands or options has a second text for
 * programs that call airbatch (`forPrograms`). Problems of rows have their own table (`core/state/problem-table.ts`):
 * they are data and never stop a file.
 */
export const errorTable = {
  USAGE: {
    exitCode: 2,
    hint: 'See "airbatch --help".',
    forPrograms: 'Correct the input of the operation.',
  },
  CONFIG_INVALID: { exitCode: 2, hint: 'Correct the configuration and try again.' },
  ACCOUNT_UNKNOWN: {
    exitCode: 2,
    hint: 'Name one of the configured accounts with --account.',
    forPrograms: 'Name one of the configured accounts.',
  },
  CONFIRMATION_NEEDED: {
    exitCode: 2,
    hint: 'Add --yes to send without being asked.',
    forPrograms: 'Set "yes" to send without being asked.',
  },
  BATCH_UNKNOWN: {
    exitCode: 2,
    hint: 'See "airbatch status" for the batches of this ledger.',
    forPrograms: 'The operation list-batches names the batches of this ledger.',
  },
  DRAFT_UNKNOWN: { exitCode: 2, hint: 'It may have been discarded: list the drafts of the account.' },
  DRAFT_STATE: { exitCode: 2, hint: 'Only an open draft can be changed: upload the file again.' },
  CHANGED_MEANWHILE: { exitCode: 5, hint: 'Somebody else has changed it: look at it again, and repeat the change.' },
  WEBHOOK_UNKNOWN: {
    exitCode: 2,
    hint: 'See "airbatch webhooks" for the endpoints of this ledger.',
    forPrograms: 'The operation list-webhooks names the endpoints of this ledger.',
  },
  ROW_UNKNOWN: { exitCode: 2, hint: 'Rows are numbered from 1, without the header: see results.csv of the batch.' },
  BATCH_STATE: {
    exitCode: 2,
    hint: 'See "airbatch status BATCH" for where the batch stands.',
    forPrograms: 'The operation show-status says where the batch stands.',
  },
  ROW_NOT_RELEASABLE: {
    exitCode: 2,
    hint: 'Skip the row here: another batch has the same reference, and the payment is decided there.',
  },
  ROLE_MISSING: { exitCode: 2, hint: 'Ask a person who has that role: see "people" in the configuration.' },
  SECOND_PERSON_NEEDED: {
    exitCode: 2,
    hint: 'Another person must do this: see "airbatch status BATCH".',
    forPrograms: 'Another person must do this.',
  },
  APPROVAL_EXPIRED: { exitCode: 5, hint: 'Reject the batch, and submit the file again.' },
  CONTENT_CHANGED: { exitCode: 5, hint: 'Reject the batch, and submit the file again.' },
  SERVICE_CHANGED: {
    exitCode: 5,
    hint: 'Set the address of the account back. Or, if the same service has moved, add --service-moved.',
    forPrograms:
      'Set the address of the account back. Or, if the same service has moved, a person confirms that on the command line.',
  },
  RUN_ID_INVALID: {
    exitCode: 2,
    hint: 'A run id has 1 to 64 letters, digits, ".", "_" or "-", and begins with a letter or a digit.',
  },
  FILE_UNREADABLE: { exitCode: 3, hint: 'Check the path and the permissions of the file.' },
  FILE_REJECTED: { exitCode: 3, hint: 'Correct the file and run it again: nothing was sent.' },
  ACCOUNT_BUSY: {
    exitCode: 5,
    hint: 'Another program is working for this account: wait until it has ended, or stop it.',
  },
  SERVICE_UNREACHABLE: {
    exitCode: 5,
    hint: 'Check the network and the base URL, then "airbatch resume".',
    forPrograms: 'Check the network and the base URL, then resume the batch.',
  },
  CREDENTIALS_REJECTED: {
    exitCode: 6,
    hint: 'Correct the credentials, then "airbatch resume".',
    forPrograms: 'Correct the credentials, then resume the batch.',
  },
  LEDGER_MISSING: {
    exitCode: 2,
    hint: 'Go to the folder of the ledger, or give its path with --ledger. The first "airbatch run FILE" makes a ledger. If it is lost, restore it from a backup.',
    forPrograms: 'Name the ledger that exists. If it is lost, restore it from a backup.',
  },
  LEDGER_FULL: {
    exitCode: 5,
    hint: 'The disk is full: make room, then repeat the command, or "airbatch resume" if the batch had begun. Nothing more was sent.',
    forPrograms:
      'The disk is full: make room, then repeat the operation, or resume the batch if it had begun. Nothing more was sent.',
  },
  LEDGER_IO: {
    exitCode: 5,
    hint: 'The ledger could not be written: check the disk, then repeat the command, or "airbatch resume" if the batch had begun.',
    forPrograms:
      'The ledger could not be written: check the disk, then repeat the operation, or resume the batch if it had begun.',
  },
  LEDGER_SYNC: {
    exitCode: 5,
    hint: 'Check the disk, then "airbatch resume": requests without a result are looked up before anything is sent again.',
    forPrograms:
      'Check the disk, then start again: requests without a result are looked up before anything is sent again.',
  },
  LEDGER_BUSY: {
    exitCode: 5,
    hint: 'Another program is using the ledger: wait until it has ended, or stop it, then try again.',
  },
  LEDGER_DAMAGED: {
    exitCode: 6,
    hint: 'Restore the ledger from a backup, and resume with --restored. Do not delete it.',
    forPrograms: 'Restore the ledger from a backup, and say that it is restored. Do not delete it.',
  },
  LEDGER_RESTORED: {
    exitCode: 6,
    hint: 'Add --restored once: every row is then looked up at the service before it is sent. Until then nothing more is sent.',
    forPrograms:
      'A person confirms once that the ledger is restored: every row is then looked up at the service before it is sent. Until then nothing more is sent.',
  },
  LEDGER_REPLACED: {
    exitCode: 6,
    hint: 'Nothing more is sent. Find out who moved it, put the newest ledger back, and start again. If it is a backup, add --restored.',
    forPrograms:
      'Nothing more is sent. Find out who moved it, put the newest ledger back, and start again. If it is a backup, say that it is restored.',
  },
  LEDGER_MOVED: {
    exitCode: 6,
    hint: 'Nothing is sent from it. Set "ledger" in the configuration, or AIRBATCH_LEDGER_URL, to the place to which it was moved.',
  },
  LEDGER_EXISTS: {
    exitCode: 2,
    hint: 'Stop all programs that use it, and move it to another folder, but leave the *.mark files. Then restore again.',
  },
  BACKUP_UNUSABLE: { exitCode: 3, hint: 'Take another backup: nothing was restored.' },
  LEDGER_VERSION: { exitCode: 6, hint: 'Use the version that wrote this ledger, or a later one.' },
  FOLDER_UNWRITABLE: {
    exitCode: 5,
    hint: 'Make the folder writable, or choose another with --out, then "airbatch report BATCH". The ledger has everything that was paid.',
    forPrograms:
      'Make the folder writable, or choose another, then write the reports again. The ledger has everything that was paid.',
  },
  FENCED: {
    exitCode: 5,
    hint: 'Another process took over, or this one was stopped for too long (for example, the machine slept). This process sends nothing more. "airbatch resume" continues.',
    forPrograms:
      'Another process took over, or this one was stopped for too long (for example, the machine slept). This process sends nothing more. Resume the batch to continue.',
  },
} as const satisfies Record<string, { exitCode: number; hint: string; forPrograms?: string }>;

/** The codes of `errorTable`. */
export type ErrorCode = keyof typeof errorTable;

/** Why, in a form that other languages can tell: a stable code, and what its text names. */
export interface ErrorReason {
  code: string;
  values: Readonly<Record<string, string>>;
}

/** What the text of a code names, from a table of codes. */
export type ReasonValues<Table extends Record<string, readonly string[]>, Code extends keyof Table> = Record<
  Table[Code][number],
  string | number
>;

export function reasonOf<Code extends string>(
  code: Code,
  values: Readonly<Record<string, string | number>> = {},
): { code: Code; values: Record<string, string> } {
  return { code, values: Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)])) };
}

/** What differs from `errorTable`, and the cause. */
export interface ErrorOptions {
  hint?: string;
  reason?: ErrorReason | null;
  cause?: unknown;
}

/** An error with a stable code, one sentence about what happened, and what to do next. */
export class AirbatchError extends Error {
  override name = 'AirbatchError';
  readonly code: ErrorCode;
  readonly hint: string;
  readonly exitCode: number;
  readonly reason: ErrorReason | null;
  /**
   * The message, one line for each fault. A line break within a fault, as in the name of a file, does not start a new
   * line.
   */
  readonly faults: readonly string[];

  constructor(code: ErrorCode, message: string | readonly string[], options: ErrorOptions = {}) {
    const faults = typeof message === 'string' ? [message] : message;
    super(faults.join('\n'), options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.faults = faults;
    this.hint = options.hint ?? errorTable[code].hint;
    this.exitCode = errorTable[code].exitCode;
    this.reason = options.reason ?? null;
  }
}

const awayCodes: readonly ErrorCode[] = ['LEDGER_BUSY', 'LEDGER_IO'];

/** Whether the ledger may work again in a moment: another writer held it for too long, or a connection was lost. */
export function isLedgerAway(error: unknown): boolean {
  return error instanceof AirbatchError && awayCodes.includes(error.code);
}

const command = /\bairbatch [a-z-]/;
const option = /(?<=^|[\s(])--([a-z][a-z-]*)/g;

/**
 * The hint for a program that calls airbatch. A hint that names a command is replaced by the one of the error's code;
 * options become the fields of the input, as the door calls them.
 */
export function hintForPrograms({ code, hint }: AirbatchError, nameOf: (field: string) => string): string {
  const entry: { hint: string; forPrograms?: string } = errorTable[code];
  const said = hint === entry.hint || command.test(hint) ? (entry.forPrograms ?? entry.hint) : hint;
  return said.replace(option, (_, name: string) => nameOf(name.replaceAll('-', '_')));
}

/** The message of an error of any kind, in one line. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `CONFIG_INVALID` with all faults of `what` at once: "the configuration has 2 faults: ...". */
export function configFaults(what: string, faults: readonly string[]): AirbatchError {
  const count = faults.length === 1 ? 'a fault' : `${faults.length} faults`;
  return new AirbatchError('CONFIG_INVALID', `${what} has ${count}: ${faults.join('; ')}`);
}
