import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder, type Readers } from '../versions/files.ts';
import { type ReportFolder, reportFolders } from '../versions/report-folders.ts';
import { readVersion, type StoredVersion } from '../versions/versions.ts';

/** What the newest signed reports of a batch say about themselves. */
export interface NewestReports {
  isFinal: boolean;
  /** The last event of the audit chain that they contain. */
  events: number;
  as_of: string | null;
}

export function newestOf({ isFinal, audit, as_of }: StoredVersion): NewestReports {
  return { isFinal, events: audit.events, as_of };
}

/**
 * Where reports are kept: a folder, or a bucket. `name` names the reports of a batch in it (`reportName`). Functions
 * reject with `FOLDER_UNWRITABLE` if the store cannot be used.
 */
export interface ReportStore {
  /** For people: a path, or "s3://bucket/prefix". */
  place: string;
  /** Checks that reports can be written. */
  check(): Promise<void>;
  /** Null: there are none. What is remembered is returned without asking the store, but only if it `isEnough`. */
  newest(name: string, isEnough: (newest: NewestReports) => boolean | Promise<boolean>): Promise<NewestReports | null>;
  /** The current reports, and the earlier versions, the newest first. */
  folders(name: string): Promise<ReportFolder[]>;
  /** The files in a folder without versions, as of a reconciliation; null: there are none. */
  files(name: string): Promise<Pick<ReportFolder, 'dir' | 'files'> | null>;
  /** The content of a file, `<dir>/<name>` of one of `folders` or of `files`. */
  open(path: string): Promise<Readable>;
  /** The place of these reports if anything lies there; else null. */
  find(name: string): Promise<string | null>;
  /**
   * Has `work` write reports into the folder `<outDir>/<name>`, in which it finds the version before, and keeps them.
   * Calls `work` again if another machine has published first. Returns the result of `work`; its `dir` is where the
   * reports are kept. With a null name, the reports are new, and `work` chooses their name.
   */
  write<Made extends { dir: string }>(name: string | null, work: (outDir: string) => Promise<Made>): Promise<Made>;
}

export function folderStore(outDir: string, readers: Readers = {}): ReportStore {
  return {
    place: outDir,
    check: () =>
      makeFolder(
        outDir,
        readers,
        'Make the folder writable, or name another as "out" in the configuration. Nothing was sent.',
      ),
    async newest(name) {
      const version = await readVersion(join(outDir, name));
      return version && newestOf(version);
    },
    folders: (name) => reportFolders(join(outDir, name)),
    async files(name) {
      const current = (await reportFolders(join(outDir, name))).find(({ keptAs }) => keptAs === '');
      return current ? { dir: current.dir, files: current.files } : null;
    },
    open: async (path) => createReadStream(path),
    async find(name) {
      const dir = join(outDir, name);
      return existsSync(dir) ? dir : null;
    },
    write: (_name, work) => work(outDir),
  };
}
