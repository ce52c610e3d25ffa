import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { type Clock, dayMs } from '../../core/time/clock.ts';
import { inScratch } from '../versions/files.ts';
import type { ReportFolder } from '../versions/report-folders.ts';
import { comparedFiles, placeOf, type StoredVersion, versionOf } from '../versions/versions.ts';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { type NewestReports, newestOf, type ReportStore } from './report-store.ts';

/*
 * How the reports of a batch lie in a bucket:
 *
 *   B-1/version-1-<digest>/results.csv ... manifest.json   all files of a version
 *   B-1/version-1.json                                     a copy of the manifest of version 1
 *   B-1/open-<digest>/, B-1/open.json                      the same for reports that are replaced: the batch is open
 *
 * A version is there as soon as its copy of the manifest is, which is stored last, and only if there is none. So a
 * program that is killed leaves nothing that a reader takes for whole, and of two that publish a version at once, the
 * second one finds the first one's. Folders are named by the digest (16 digits) of their manifest: nobody ever stores
 * other bytes under a name.
 */

/** A version, where its files are, and what it is named after. */
interface Published {
  /** The key of its copy of the manifest. */
  key: string;
  /** What the keys of its files begin with, without a slash at the end. */
  folder: string;
  version: StoredVersion;
  signature: Buffer;
}

/** What lies in the bucket under the name of a batch's reports. */
interface Shelf {
  objects: StoredObject[];
  /** The newest one first: the reports that go furthest in the audit chain. */
  published: Published[];
  /** How many versions are not what was published: somebody has changed them. */
  unreadable: number;
}

/** Files that no version names are removed after this long: their program was killed before it could publish them. */
const orphanMs = dayMs;

/** For how many batches the newest version is remembered, so that looking for missing reports costs no requests. */
const rememberedMax = 20_000;

export interface BucketStoreDeps {
  objects: ObjectStore;
  clock: Pick<Clock, 'now'>;
  /** Reports are made in a temporary folder in this one. */
  scratchIn: string;
}

export function bucketStore({ objects, clock, scratchIn }: BucketStoreDeps): ReportStore {
  const remembered = new Map<string, NewestReports>();
  const remember = (name: string, version: StoredVersion) => {
    remembered.delete(name);
    remembered.set(name, newestOf(version));
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
  };
  const addressOf = (key: string) => `${objects.place}/${key}`;
  let isChecked = false;
  const check = async () => {
    if (!isChecked) await checkConditions(objects);
    isChecked = true;
  };
  return {
    place: objects.place,
    check,
    async newest(name, isEnough) {
      const known = remembered.get(name);
      if (known && (await isEnough(known))) return known;
      const [first] = (await readShelf(objects, name)).published;
      if (first) remember(name, first.version);
      return first ? newestOf(first.version) : null;
    },
    async folders(name) {
      const shelf = await readShelf(objects, name);
      return shownOf(shelf).map(({ folder, version }, index): ReportFolder => {
        const { as_of, version: number } = version;
        const keptAs = index === 0 ? '' : placeOf(version, as_of ?? '').to;
        return { dir: addressOf(folder), keptAs, version: number || null, as_of, files: filesIn(shelf, folder) };
      });
    },
    async files(name) {
      const found = await objects.list(`${name}/`);
      return found.length === 0 ? null : { dir: addressOf(name), files: filesIn({ objects: found }, name) };
    },
    async open(path) {
      const found = await objects.read(path.slice(objects.place.length + 1));
      if (found === null) throw new AirbatchError('FILE_UNREADABLE', `${path} is not there any more`);
      return found;
    },
    async find(name) {
      return (await objects.list(`${name}/`)).length > 0 ? addressOf(name) : null;
    },
    async write(name, work) {
      await check();
      for (;;) {
        const made = await inScratch(scratchIn, async (scratch) => {
          const shelf = name === null ? null : await readShelf(objects, name);
          if (name !== null && shelf) await takeEarlier(objects, shelf, join(scratch, name));
          const written = await work(scratch);
          const upload = { objects, clock, dir: written.dir };
          if (name === null || !shelf)
            return { ...written, dir: addressOf(await storeFolder(upload, basename(written.dir))) };
          const published = await publish(upload, shelf);
          if (published === null) return null;
          remember(name, published);
          return { ...written, dir: addressOf(published.dir) };
        });
        // Another machine has published this version meanwhile: everything is read anew.
        if (made !== null) return made;
      }
    },
  };
}

async function readShelf(objects: ObjectStore, name: string): Promise<Shelf> {
  const found = await objects.list(`${name}/`);
  const keys = found.map(({ key }) => key).filter((key) => /^(?:version-[1-9]\d*|open)\.json$/.test(basename(key)));
  const all = await Promise.all(keys.map((key) => readPublished(objects, key)));
  const published = all.filter((one) => one !== null);
  return {
    objects: found,
    published: published.sort((a, b) => b.version.audit.events - a.version.audit.events),
    unreadable: all.length - published.length,
  };
}

/** Null if it was not signed, or is not what its name says: somebody has changed it. */
async function readPublished(objects: ObjectStore, key: string): Promise<Published | null> {
  const text = (await objects.readBytes(key))?.toString('utf8');
  if (text === undefined) return null;
  const folder = folderOf(key, text);
  const signature = await objects.readBytes(`${folder}/manifest.sig`);
  const version = signature && versionOf(text, signature, folder);
  if (!version || keyOf(version, key.slice(0, key.lastIndexOf('/'))) !== key) return null;
  return { key, folder, version, signature };
}

function folderOf(key: string, manifest: string): string {
  return `${key.slice(0, -'.json'.length)}-${createHash('sha256').update(manifest).digest('hex').slice(0, 16)}`;
}

function keyOf({ version, isFinal }: StoredVersion, name: string): string {
  return `${name}/${isFinal ? `version-${version}` : 'open'}.json`;
}

/** The current reports, and the final versions before them. */
function shownOf({ published: [current, ...earlier] }: Shelf): Published[] {
  return current ? [current, ...earlier.filter(({ version }) => version.isFinal)] : [];
}

function filesIn({ objects }: Pick<Shelf, 'objects'>, folder: string): { name: string; bytes: number }[] {
  return objects
    .filter(({ key }) => key.startsWith(`${folder}/`))
    .map(({ key, bytes }) => ({ name: key.slice(folder.length + 1), bytes }));
}

/**
 * Puts the current version and the one before into a folder as `writeReports` expects them: without the files that are
 * only read by people.
 */
async function takeEarlier(objects: ObjectStore, shelf: Shelf, dir: string): Promise<void> {
  for (const [index, { folder, version, signature }] of shownOf(shelf).slice(0, 2).entries()) {
    const to = index === 0 ? dir : join(dir, placeOf(version, version.as_of ?? '').to);
    await mkdir(to, { recursive: true, mode: 0o700 });
    await writeFile(join(to, 'manifest.json'), version.text, { mode: 0o600 });
    await writeFile(join(to, 'manifest.sig'), signature, { mode: 0o600 });
    for (const name of comparedFiles) {
      await objects.readInto(`${folder}/${name}`, join(to, name));
    }
  }
}

interface Upload {
  objects: ObjectStore;
  clock: Pick<Clock, 'now'>;
  dir: string;
}

/** Stores the files of the folder, the manifest last. Those that are in the bucket already are skipped. */
async function storeFolder({ objects, dir }: Upload, folder: string, stored?: Shelf): Promise<string> {
  const there = new Map(stored ? filesIn(stored, folder).map(({ name, bytes }) => [name, bytes]) : []);
  const entries = await readdir(dir, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  for (const name of names.sort((a, b) => Number(a === 'manifest.json') - Number(b === 'manifest.json'))) {
    const path = join(dir, name);
    if (there.get(name) !== (await stat(path)).size) await objects.putFile(`${folder}/${name}`, path);
  }
  return folder;
}

/** Returns the version as it is kept; null if another machine has published other files as this version. */
async function publish(upload: Upload, shelf: Shelf): Promise<StoredVersion | null> {
  const { objects, dir, clock } = upload;
  const name = basename(dir);
  const text = await readFile(join(dir, 'manifest.json'), 'utf8');
  const version = versionOf(text, await readFile(join(dir, 'manifest.sig')), dir);
  if (version === null) throw new Error('reports in a bucket are signed');
  const key = keyOf(version, name);
  const folder = await storeFolder(upload, folderOf(key, text), shelf);
  if (!version.isFinal) await objects.putText(key, text);
  else if (!(await objects.putNew(key, text)) && (await objects.readBytes(key))?.toString('utf8') !== text) {
    if (!shelf.objects.some((one) => one.key === key)) return null;
    const why = `${objects.place}/${key} is not what was published as version ${version.version}`;
    throw new AirbatchError('FOLDER_UNWRITABLE', why, {
      hint: 'Somebody has changed or damaged it. Look at it, and remove it: the ledger has everything, and the version is published again.',
    });
  }
  const kept = { ...version, dir: folder };
  await removeReplaced(objects, shelf, kept, clock.now() - orphanMs);
  return kept;
}

/**
 * Removes open reports that this version replaces, and files that no version names and that are older than `before`.
 * Removes nothing if a version cannot be read: somebody must look at it first.
 */
async function removeReplaced(
  objects: ObjectStore,
  { objects: found, published, unreadable }: Shelf,
  { dir, audit }: StoredVersion,
  before: number,
): Promise<void> {
  if (unreadable > 0) return;
  const isReplaced = ({ version }: Published) => !version.isFinal && version.audit.events <= audit.events;
  const kept = [dir, ...published.filter((one) => !isReplaced(one)).map(({ folder }) => folder)];
  const replaced = published.filter(isReplaced).map(({ folder }) => folder);
  const folders = Map.groupBy(
    found.filter(({ key }) => key.split('/').length > 2),
    ({ key }) => key.slice(0, key.lastIndexOf('/')),
  );
  for (const [one, files] of folders) {
    if (kept.includes(one)) continue;
    if (!replaced.includes(one) && files.some(({ at }) => at > before)) continue;
    for (const { key } of files) await objects.remove(key);
  }
}

/**
 * A store that does not know the condition would let two machines publish different files as one version. Of two
 * conditional writes, it must refuse the second; the object stays, and then it refuses the first.
 */
async function checkConditions(objects: ObjectStore): Promise<void> {
  const key = '.airbatch-check';
  if ((await objects.putNew(key, 'first')) && (await objects.putNew(key, 'second')))
    throw new AirbatchError(
      'FOLDER_UNWRITABLE',
      `${objects.place} stores an object although "If-None-Match: *" forbids it`,
      {
        hint: 'Use a store that supports conditional writes: docs/configuration.md names some. Until then no reports are stored there; the ledger has everything that was paid.',
      },
    );
}
