import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { jobState } from '../../ledger/schema/state-columns.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { runSourceCommand } from '../../runtime/inbox/command-source.ts';
import { sortOut } from '../../runtime/inbox/complete-files.ts';
import { asFolderTrouble, type Brought, originalName, takeFromInbox } from '../../runtime/inbox/job-inbox.ts';
import type { PayingJob } from '../../runtime/jobs/define-job.ts';
import { stampOf } from '../../runtime/jobs/slot-stamp.ts';
import type { Session } from '../../runtime/session/session.ts';
import { archivedFile } from '../../runtime/upkeep/job-file-places.ts';
import type { RequireSlot } from './claimed-slot.ts';

export interface SlotRunnerDeps {
  session: Session;
  /** Relative paths in jobs start from this folder, the parent folder of `jobs/`. */
  base: string;
  /** Works with the account that pays, which is open only for the duration of the work. */
  withAccount: <Result>(name: string | undefined, work: (account: OpenAccount) => Promise<Result>) => Promise<Result>;
  /** Called in each transaction that imports something: a suspended process may have lost the slot. */
  requireSlot: RequireSlot;
  /** Aborted when the process must end. A command whose output is not complete by then is run again. */
  stopping?: AbortSignal;
}

export interface SlotFile {
  path: string;
  name: string;
}

export const minuteMs = 60_000;

/** For a single file or a program's output, which have no other files around them. */
const nothingElse = { unfinished: [], others: [], ignored: [], stuck: [], remaining: [] };

export async function bring(
  { session, base, requireSlot, stopping }: SlotRunnerDeps,
  { name, source, schedule }: PayingJob,
  dueAt: number,
  known: ReadonlySet<string>,
): Promise<{ files: SlotFile[] } & Omit<Brought, 'taken'>> {
  const stamp = stampOf(dueAt, schedule.timeZone);
  switch (source.kind) {
    case 'folder': {
      const hasSlot = () => session.db.transact(requireSlot);
      const isUsed = (await jobState.usedFolder.read(session.db, name)) === source.folder;
      const { taken, ...left } = await takeFromInbox(session, { ...source, stamp, known, isUsed }, hasSlot);
      if (!isUsed) await session.db.transact((tx) => jobState.usedFolder.write(tx, name, source.folder));
      return { files: taken.map((path) => ({ path, name: originalName(path) })), ...left };
    }
    case 'file': {
      const file = { path: source.file, name: basename(source.file) };
      if (known.has(file.name)) return { files: [file], ...nothingElse };
      const folder = dirname(file.path);
      // For a folder that is not mounted, the error would only say that there is no such file.
      const sorted = access(folder).then(() => sortOut(session.clock, folder, [file.name]));
      const { unfinished } = await sorted.catch((error: unknown) => {
        throw asFolderTrouble(folder, error);
      });
      return { files: unfinished.length === 0 ? [file] : [], ...nothingElse, unfinished };
    }
    case 'command': {
      const file = { path: archivedFile(session, name, `${stamp}.csv`), name: `${stamp}.csv` };
      const { path } = file;
      // The slot pays the output from before a crash, because the command may print something else when run again. The
      // file may be archived by now.
      if (!known.has(file.name) && !existsSync(path))
        await runSourceCommand(source.command, {
          cwd: base,
          path,
          clock: session.clock,
          timeoutMs: source.timeoutMinutes * minuteMs,
          maxSizeMb: source.maxSizeMb,
          secrets: session.config.secrets,
          stopping,
        });
      return { files: [file], ...nothingElse };
    }
  }
}
