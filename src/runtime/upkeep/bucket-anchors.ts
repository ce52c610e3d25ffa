import { type Bucket, openBucket } from '../../reports/store/object-store.ts';

/*
 * Each head is an object of its own, `heads/B-1/17-<digest>.json`, with the line that an anchor file would have. It is
 * stored only if there is none. Its name has the number of events and the head, so no head is ever replaced, and an
 * audit finds two heads with the same number of events.
 */
export const headsFolder = 'heads/';
const digitsInName = 16;

interface Head {
  batch_id: string;
  events: number;
  head: string;
}

/** Stores the head in the bucket; `line` is its text. */
export async function putHead(
  bucket: Bucket,
  { batch_id, events, head }: Head,
  line: string,
  signal: AbortSignal,
): Promise<void> {
  const objects = openBucket(bucket);
  const key = `${headsFolder}${batch_id}/${events}-${head.slice(0, digitsInName)}.json`;
  if (await objects.putNew(key, line, signal)) return;
  // Another machine has stored it, or an earlier attempt whose answer was lost.
  const stored = await objects.readBytes(key);
  if (stored === null || withoutTime(stored.toString('utf8')) !== withoutTime(line))
    throw new Error(`${objects.place}/${key} is not the head that belongs there`);
}

function withoutTime(line: string): string {
  return line.replace(/^\{"at":"[^"]*",/, '{');
}
