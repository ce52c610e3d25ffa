import type { BatchState } from '../../core/state/batch-state.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { pageEvents } from '../../ledger/audit/events.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { WrittenFile } from './files.ts';

/**
 * What `manifest.json` holds: the digests of everything in the folder, and where the audit chain ended. `manifest.sig`
 * beside it is the Ed25519 signature (64 bytes) of the file's bytes, which any tool can check: `openssl pkeyutl
 * -verify -pubin -inkey key.pem -rawin -in manifest.json -sigfile manifest.sig`.
 */
export interface Manifest {
  format: 'airbatch.manifest/1';
  batch_id: string;
  run_id: string;
  account: string;
  /** Name and version of the program that made the batch. */
  program: string;
  /**
   * 1 for the first of the batch that was given out, wherever it was written to; each later one names the one before
   * it. Null while the batch is not at its end: what is written then is replaced.
   */
  version: number | null;
  /** The time of the newest event in the chain (ISO 8601 UTC): what the ledger knew by then is in these files. */
  as_of: string;
  previous: PreviousVersion | null;
  /** The batch's own: of one that has ended, the files were given out as final. */
  status: BatchState;
  /** SHA-256 (hex) of the file that was paid, and of its rows as validated. */
  input_sha256: string | null;
  content_sha256: string | null;
  /** Whether phone numbers were made unreadable in these files. */
  masked: boolean;
  /** The number of events in events.jsonl, and the hash of the last. */
  audit: { events: number; head: string };
  files: WrittenFile[];
  /** PEM of the key that signed. Compare it with one that you were given by another way. */
  public_key: string;
}

export function manifestOf(
  batch: BatchRecord,
  files: readonly WrittenFile[],
  { masked, publicKey, version }: { masked: boolean; publicKey: string; version: VersionMark },
): Manifest {
  return {
    format: 'airbatch.manifest/1',
    batch_id: batch.batch_id,
    run_id: batch.run_id,
    account: batch.account,
    program: batch.program,
    version: version.version,
    as_of: version.as_of,
    previous: version.previous,
    status: batch.status,
    input_sha256: batch.file_sha256,
    content_sha256: batch.content_sha256,
    masked,
    audit: { events: batch.audit_seq, head: batch.audit_head },
    files: [...files],
    public_key: publicKey,
  };
}

/** The reports of a batch that were given out before these, as these name them. */
export interface PreviousVersion {
  version: number;
  as_of: string;
  /** Where its audit chain ended: this one goes on from there. */
  events: number;
  head: string;
  /**
   * SHA-256 (hex) of its manifest.json, which has the digests of all its files; null where it was written to another
   * folder.
   */
  manifest_sha256: string | null;
}

/**
 * Which version of a batch's reports some are; null where they were not given out as one: before its end, or without a
 * key.
 */
export interface VersionMark {
  version: number | null;
  as_of: string;
  previous: PreviousVersion | null;
}

/** Events read at once: as few as rows are (`rowPages`), for the same reason. */
const eventsPerPage = 64;

/**
 * The batch's audit chain, one event a line as the ledger has it. The first hash follows on 64 zeros; each is SHA-256
 * (hex) of the hash before it and `JSON.stringify([batch_id, seq, at, actor, kind, row_no, body])`, where `body` is a
 * text.
 */
export async function* eventLines(view: Queryable, batchId: string): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const page = await pageEvents(view, batchId, after, eventsPerPage);
    const last = page.at(-1);
    if (!last) return;
    yield page
      .map(({ batch_id, seq, at, actor, kind, row_no, body, hash }) =>
        jsonLine({ batch_id, seq, at, actor, kind, row_no, body, hash }),
      )
      .join('');
    after = last.seq;
  }
}
