import { eachPaidOnce } from '../../core/identity/same-rows.ts';
import { storedPolicy } from '../../core/state/batch-policy.ts';
import { maySend } from '../../core/state/batch-state.ts';
import { batchLabel, batchStateTexts } from '../../core/state/state-texts.ts';
import { isoTime } from '../../core/time/clock.ts';
import {
  type BatchRecord,
  batchesOfRun,
  batchesWithContent,
  embeddedSandboxService,
} from '../../ledger/batches/batches.ts';
import { countRows } from '../../ledger/batches/row-counts.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import { sharedRows } from '../../ledger/reporting/shared-rows.ts';

/** How many batches a warning names: one is enough for a closer look. */
const namedMax = 3;
/** If a run has thousands of files, only the newest batches are checked. */
const batchesLookedAt = 100;

const paidAgain = 'What another account has sent is not held: it is paid again.';

async function paidOf(db: Queryable, { batch_id }: BatchRecord): Promise<number> {
  return (await countRows(db, batch_id)).get('completed') ?? 0;
}

function paidText(paid: number): string {
  return paid === 0 ? '' : ', which has paid some of them';
}

/**
 * Warns if other batches already contain the same understood rows. A file that is saved in another format has other
 * bytes and so, by default, another run id, under which everything would be paid again. Nothing else shows that another
 * account has paid the rows, as when its money ran out and the file is given to the next account. A rehearsal has paid
 * nobody. `seenAccounts`: the accounts whose batches the person may see; of others the warning names nothing. Empty:
 * all accounts.
 */
export async function sameContentWarnings(
  db: Queryable,
  batch: BatchRecord,
  seenAccounts: readonly string[],
): Promise<string[]> {
  if (batch.content_sha256 === null) return [];
  const alike = await batchesWithContent(db, batch.content_sha256);
  const others = alike.filter(
    ({ account, service, started_at }) =>
      account !== batch.account && service !== embeddedSandboxService && started_at !== null,
  );
  const isSeen = ({ account }: BatchRecord) => seenAccounts.length === 0 || seenAccounts.includes(account);
  const own = alike.filter(
    ({ account, run_id, status }) =>
      account === batch.account && run_id !== batch.run_id && status !== 'cancelled' && status !== 'rejected',
  );
  const waiting = (await sharedRows(db, batch)).filter(({ status }) => maySend(status));
  // Many reruns may have only held rows. They must not keep the batch that has paid from being named.
  const counted = await Promise.all(own.map(async (one) => ({ one, paid: await paidOf(db, one) })));
  const byPaid = counted.sort((a, b) => b.paid - a.paid);
  const { repeatWithinDays } = storedPolicy(batch.policy);
  const then =
    repeatWithinDays === 0
      ? 'With another run id they are paid again.'
      : `Rows sent in the last ${repeatWithinDays} days are held; older ones are paid again.`;
  const place = ({ batch_id, created_at }: BatchRecord) =>
    `The same rows are in batch ${batch_id} of ${isoTime(created_at).slice(0, 10)}`;
  const otherwise = await readOtherwise(db, batch);
  return [
    ...otherwise.map(
      ({ batch_id, created_at }) =>
        `Batch ${batch_id} of ${isoTime(created_at).slice(0, 10)} has read the same file with other settings (such as another sheet or column), under the same run id. Rows that it paid are not paid again. To pay both, give this file another run id (--run-id).`,
    ),
    ...others
      .filter(isSeen)
      .map((one) => `${place(one)} (account ${one.account}, run ${one.run_id}, ${standsText(one)}). ${paidAgain}`),
    ...(others.every(isSeen)
      ? []
      : [`Another account, which you may not see, has begun to send the same rows. ${paidAgain}`]),
    ...waiting.map(
      ({ batch_id, status, rows }) =>
        `${rows === 1 ? '1 row of this file is' : `${rows.toLocaleString('en-US')} rows of this file are`} also in batch ${batch_id} of this run (${batchStateTexts[status].label}), which may still send ${rows === 1 ? 'it' : 'them'}: ${eachPaidOnce}.`,
    ),
    ...byPaid.map(({ one, paid }) => `${place(one)} (run ${one.run_id}, ${standsText(one)}${paidText(paid)}). ${then}`),
  ].slice(0, namedMax);
}

/** Whether rows of a batch that has begun are being sent is not known here: they may all wait for a person. */
function standsText(batch: BatchRecord): string {
  return batch.status === 'running' ? 'not finished' : batchLabel(batch);
}

/**
 * The last batch of the run that has understood other rows in the very same bytes, as from another sheet. A run id that
 * is derived from the bytes is the same, so a person who gets the same from both is paid once. Empty if no row of this
 * batch is skipped.
 */
async function readOtherwise(
  db: Queryable,
  { batch_id, account, run_id, file_sha256, content_sha256 }: BatchRecord,
): Promise<BatchRecord[]> {
  if (!(await countRows(db, batch_id)).has('skipped')) return [];
  const ofRun = await batchesOfRun(db, run_id, batchesLookedAt);
  const otherwise = ofRun.find(
    (one) =>
      one.account === account &&
      one.started_at !== null &&
      one.file_sha256 === file_sha256 &&
      one.content_sha256 !== content_sha256,
  );
  return otherwise ? [otherwise] : [];
}
