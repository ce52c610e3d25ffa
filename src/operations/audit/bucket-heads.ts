import pLimit from 'p-limit';
import { errorMessage } from '../../core/basics/errors.ts';
import { type Bucket, openBucket } from '../../reports/store/object-store.ts';
import { headsFolder } from '../../runtime/upkeep/bucket-anchors.ts';
import { type BatchHead, headOf } from '../../verify/checks/anchors.ts';

const readsAtOnce = 16;

/**
 * Reads the heads of one batch, or of all (null). If an object cannot be read, it fails after it has returned those of
 * all the others.
 */
export async function* headsInBucket(bucket: Bucket, batchId: string | null): AsyncGenerator<BatchHead, undefined> {
  const objects = openBucket(bucket);
  const found = await objects.list(batchId === null ? headsFolder : `${headsFolder}${batchId}/`);
  const limit = pLimit(readsAtOnce);
  const read = async (key: string) => headIn(`${objects.place}/${key}`, await objects.readBytes(key));
  const all = await Promise.allSettled(found.map(({ key }) => limit(read, key)));
  for (const one of all) if (one.status === 'fulfilled') yield one.value;
  for (const one of all) if (one.status === 'rejected') throw one.reason;
}

function headIn(address: string, bytes: Buffer | null): BatchHead {
  try {
    return headOf(bytes?.toString('utf8') ?? '');
  } catch (error) {
    throw new Error(`${address} is no head of a chain: ${errorMessage(error)}`, { cause: error });
  }
}
