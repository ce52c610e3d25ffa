import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { noteUsedFolder, usedFolder } from '../../ledger/jobs/used-folders.ts';
import type { OpenAccount } from '../../runtime/accounts/account.ts';
import { runSourceCommand } from '../../runtime/inbox/command-source.ts';
import { sortOut } from '../../runtime/inbox/complete-files.ts';
import { asFolderTrouble, type Brought, originalName, takeFromInbox } from '../../runtime/inbox/job-inbox.ts';
import type { Job } from '../../runtime/jobs/define-job.ts';
import { stampOf } from '../../runtime/jobs/slot-stamp.ts';
import type { Session } from '../../runtime/session/session.ts';
import { archivedFile } from '../../runtime/upkeep/job-files-left.ts';
import type { RequireSlot } from './claimed-slot.ts';

export interface SlotRunnerDeps {
  session: Session;
  /** Where relative things of jobs begin: the folder that `jobs/` lies in. */
  base: string;
  /** Works with the account that pays, which is open only meanwhile. */
  withAccount: <Result>(name: string | undefined, work: (account: OpenAccount) => Promise<Result>) => Promise<Result>;
  /** Asked for where something is brought: a process that was suspended may have lost the slot. */
  requireSlot: RequireSlot;
  /** Aborted when the process is to end: what a program has not written by then is asked for again. */
  stopping?: AbortSignal;
}

export interface SlotFile {
  path: string;
  name: string;
}

export type PayingJob = Job & { source: Exclude<Job['source'], { kind: 'reconciliation' }> };

export const minuteMs = 60_000;

/** What lies beside a single file, or what a program wrote. */
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
      const isUsed = (await usedFolder(session.db, name)) === source.folder;
      const { taken, ...left } = await takeFromInbox(session, { ...source, stamp, known, isUsed }, hasSlot);
      if (!isUsed) await session.db.transact((tx) => noteUsedFolder(tx, name, source.folder));
      return { files: taken.map((path) => ({ path, name: originalName(path) })), ...left };
    }
    case 'file': {
      const file = { path: source.file, name: basename(source.file) };
      if (known.has(file.name)) return { files: [file], ...nothingElse };
      const folder = dirname(file.path);
      // Of a folder that is away nothing else would be said than that there is no such file.
      const sorted = access(folder).then(() => sortOut(session.clock, folder, [file.name]));
      const { unfinished } = await sorted.catch((error: unknown) => {
        throw asFolderTrouble(folder, error);
      });
      return { files: unfinished.length === 0 ? [file] : [], ...nothingElse, unfinished };
    }
    case 'command': {
      const file = { path: archivedFile(session, name, `${stamp}.csv`), name: `${stamp}.csv` };
      const { path } = file;
      // What it wrote before a crash is what this slot pays: asked again, it may say something else. It may be put
      // away by now.
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
