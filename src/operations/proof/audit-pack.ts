import type { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { isBucketPlace } from '../../reports/store/object-store.ts';

/** A file of an auditor's pack: its name in the pack, and either where the file is or its text. */
export interface PackFile {
  name: string;
  path: string | null;
  text: string | null;
}

/**
 * The pack as a zip file, in pieces: memory does not grow with the reports. `open` reads a file in a bucket when its
 * turn comes.
 */
export function packStream(files: readonly PackFile[], open: (path: string) => Promise<Readable>): Readable {
  const zip = new ZipFile();
  const { outputStream } = zip;
  // A file that cannot be read ends the stream: a pack is never silently incomplete.
  zip.on('error', (error) => (outputStream as Readable).destroy(error as Error));
  for (const { name, path, text } of files) {
    if (path === null) zip.addBuffer(Buffer.from(text ?? ''), name);
    else if (!isBucketPlace(path)) zip.addFile(path, name);
    else
      zip.addReadStreamLazy(name, (ready) => {
        const failed = (error: unknown) => ready(error, null as never);
        open(path).then((content) => ready(null, content), failed);
      });
  }
  zip.end();
  return outputStream as Readable;
}

/** What the instructions of a pack name. */
export interface PackFacts {
  batchId: string;
  runId: string;
  isMasked: boolean;
  fingerprint: string;
  /** The number of anchored heads in the pack, and the places that could not be read. */
  heads: number;
  unread: readonly { place: string; why: string }[];
}

/** The instructions: what is in the pack, how it is verified, and what it does not prove. */
export function packInstructions({ batchId, runId, isMasked, fingerprint, heads, unread }: PackFacts): string {
  const anchor = heads > 0 ? ' --anchor anchors.jsonl' : '';
  return [
    `Auditor's pack of batch ${batchId} (run ${runId})`,
    '',
    `reports/             the reports of the batch${isMasked ? ', with masked phone numbers and names' : ''}`,
    'reports/versions/    earlier versions of them, if there are any',
    'airbatch-key.pem     the public key that signs them',
    ...(heads > 0 ? [`anchors.jsonl        ${heads} heads of the audit chain, as stored outside the ledger`] : []),
    'report-format.md     the format of every file, for a verifier of your own',
    '',
    'Verify the reports offline:',
    '',
    `  airbatch verify reports --key airbatch-key.pem${anchor}`,
    '',
    'and each earlier version in the same way (airbatch verify reports/versions/NAME ...). It needs no configuration, no',
    'ledger and no network. Without airbatch, these check the signature of the manifest, and show the SHA-256 of each file,',
    'to be compared with those in the manifest:',
    '',
    '  openssl pkeyutl -verify -pubin -inkey airbatch-key.pem -rawin -in reports/manifest.json -sigfile reports/manifest.sig',
    '  sha256sum reports/*.*',
    '',
    `The fingerprint of the key is ${fingerprint}.`,
    'The key and the heads in this pack prove nothing by themselves, because whoever made the pack could have replaced',
    'them. Compare the fingerprint with one that you got in another way (airbatch key), and read the heads where they',
    'are stored.',
    ...unread.map(({ place, why }) => `The heads at ${place} could not be read: ${why}`),
    ...(isMasked ? ['events.jsonl keeps the keys of the payments, because its hashes bind them.'] : []),
    '',
  ].join('\n');
}
