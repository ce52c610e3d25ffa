import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { AirbatchError } from '../../core/basics/errors.ts';
import { dayMs } from '../../core/time/clock.ts';
import { eraseAnswersAbout } from '../../ledger/access/api-requests.ts';
import { deleteContents } from '../../ledger/drafts/draft-changes.ts';
import { deleteDraftRows } from '../../ledger/drafts/draft-rows.ts';
import { deleteDraft, draftOfBatch, draftsToErase, forgottenDrafts } from '../../ledger/drafts/drafts.ts';
import type { Session } from '../session/session.ts';
import { bucketPlaceOf, eraseFiles, uploadsFolder } from './draft-files.ts';

/** How long an open draft is kept that nobody changes: a month's file that was never sent is out of date. */
const draftKeptMs = 60 * dayMs;
const rowsPerUnit = 2_000;
const draftsPerPage = 100;

type House = Pick<Session, 'db' | 'clock' | 'ledgerPath' | 'config' | 'random'>;

/** Deletes all rows of a draft. */
export async function eraseDraftRows({ db, clock }: Pick<House, 'db' | 'clock'>, draftId: string): Promise<void> {
  while ((await db.transact((tx) => deleteDraftRows(tx, draftId, rowsPerUnit))) > 0) await clock.turn();
}

/**
 * Erases the contents of a draft for good: its rows, files and changes. Throws `FOLDER_UNWRITABLE` if the bucket with
 * its files is away; then its salt stays, and housekeeping tries again.
 */
async function eraseDraft(house: House, draftId: string): Promise<void> {
  await eraseDraftRows(house, draftId);
  await eraseFiles(house, draftId);
  await house.db.transact(async (tx) => {
    await eraseAnswersAbout(tx, draftId);
    await deleteContents(tx, draftId);
  });
}

/** Erases a draft that was just discarded. If the bucket is away, housekeeping erases the rest. */
export async function eraseDiscarded(house: House, draftId: string): Promise<void> {
  await eraseDraft(house, draftId).catch(ifAway);
}

/** Erases the draft that a batch was made from, if any. Returns the address of its files if the bucket is away. */
export async function eraseDraftOfBatch(house: House, batchId: string): Promise<string | null> {
  const draft = await draftOfBatch(house.db, batchId);
  const isErased = draft === null || (await eraseDraft(house, draft.draft_id).then(() => true, ifAway));
  return isErased ? null : bucketPlaceOf(house, draft.draft_id);
}

function ifAway(error: unknown): false {
  if (error instanceof AirbatchError && error.code === 'FOLDER_UNWRITABLE') return false;
  throw error;
}

/** How long an upload may take: what is older was left behind by a program that was killed. */
const uploadMs = dayMs;

/** Erases files that were being uploaded when the program was killed. */
export function eraseLostUploads({ clock, ledgerPath }: Pick<House, 'clock' | 'ledgerPath'>): void {
  const folder = uploadsFolder(ledgerPath);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const begun = statSync(path, { throwIfNoEntry: false });
    if (begun !== undefined && begun.mtimeMs < clock.now() - uploadMs) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Erases drafts that were discarded, those that nobody has changed for long, and what is left of those whose people
 * were forgotten. Returns how many.
 */
export async function eraseOldDrafts(house: House): Promise<number> {
  let erased = 0;
  for (let some = draftsPerPage; some === draftsPerPage; erased += some) {
    const drafts = await forgottenDrafts(house.db, draftsPerPage);
    for (const { draft_id } of drafts) await eraseDraft(house, draft_id);
    some = drafts.length;
  }
  for (;;) {
    const drafts = await draftsToErase(house.db, house.clock.now() - draftKeptMs, draftsPerPage);
    for (const { draft_id } of drafts) {
      await eraseDraft(house, draft_id);
      await house.db.transact((tx) => deleteDraft(tx, draft_id));
    }
    erased += drafts.length;
    if (drafts.length < draftsPerPage) return erased;
  }
}
