import type { BatchState } from '../../core/state/batch-state.ts';
import { jsonLine } from '../../core/text/json-output.ts';
import { eventPages } from '../../ledger/audit/events.ts';
import type { BatchRecord } from '../../ledger/batches/batches.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';
import type { WrittenFile } from './files.ts';
import type { PreviousVersion, VersionMark } from './version-shape.ts';

/**
 * The content of `manifest.json`: the digests of all files in the folder, and the end of the audit chain.
 * `manifest.sig` is the Ed25519 signature (64 bytes) of the file's bytes, which any tool can check: `openssl pkeyutl
 * -verify -pubin -inkey key.pem -rawin -in manifest.json -sigfile manifest.sig`.
 */
export interface Manifest {
  format: 'airbatch.manifest/1';
  batch_id: string;
  run_id: string;
  account: string;
  /** Name and version of the program that created the batch. */
  program: string;
  /**
   * 1 for the first published version of the batch, in whatever folder; each later one names the one before it. Null
   * while the batch is open: such reports are replaced.
   */
  version: number | null;
  /** The time of the newest event in the chain (ISO 8601 UTC). The files contain what the ledger knew by then. */
  as_of: string;
  previous: PreviousVersion | null;
  /** The batch's status. If the batch has ended, the files were published as final. */
  status: BatchState;
  /** SHA-256 (hex) of the paid file, and of its rows as validated. */
  input_sha256: string | null;
  content_sha256: string | null;
  /** Whether phone numbers are masked in these files. */
  masked: boolean;
  /** The number of events in events.jsonl, and the hash of the last. */
  audit: { events: number; head: string };
  files: WrittenFile[];
  /** PEM of the signing key. Compare it with one that you received in another way. */
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

/** Events read at once: as few as rows (`rowPages`), for the same reason. */
const eventsPerPage = 64;

/**
 * The batch's audit chain, one event a line as in the ledger. Before the first hash are 64 zeros. Each hash is the
 * SHA-256 (hex) of the hash before it and `JSON.stringify([batch_id, seq, at, actor, kind, row_no, body])`, where
 * `body` is a text.
 */
export async function* eventLines(view: Queryable, batchId: string): AsyncGenerator<string> {
  for await (const page of eventPages(view, batchId, eventsPerPage))
    yield page
      .map(({ batch_id, seq, at, actor, kind, row_no, body, hash }) =>
        jsonLine({ batch_id, seq, at, actor, kind, row_no, body, hash }),
      )
      .join('');
}
