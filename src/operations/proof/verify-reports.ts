import { access, constants, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { InputError } from '../../verify/input/findings.ts';
import { verifyReports as verify } from '../../verify/verify.ts';
import { folder, time } from '../base/fields.ts';
import { defineOperation } from '../base/operation.ts';

/** The absolute path of a file. */
const file = z.string();
const text = z.string().nullable();
const count = z.int().nullable();
const sentences = z.array(z.string());

/**
 * Proves from the files of a report alone that it is whole and its sums are right. Opens no configuration and no
 * ledger.
 */
export const verifyReports = defineOperation({
  name: 'verify-reports',
  role: null,
  input: z.strictObject({
    /** The folder of one batch or of one reconciliation. */
    dir: folder,
    /** The public key of the expected signer, in PEM. */
    key: file.optional(),
    /** The service's own list of payments, one JSON object a line. */
    service_list: file.optional(),
    /** Anchored heads of audit chains, one JSON object a line. */
    anchor: file.optional(),
    /** A ledger whose audit chain must begin with the chain in the reports. */
    ledger: file.optional(),
  }),
  result: z.strictObject({
    ok: z.boolean(),
    /** At most 100. */
    findings: z.array(z.strictObject({ file: z.string(), message: z.string() })),
    findings_unlisted: z.int(),
    /** What was checked and is right. */
    checked: sentences,
    /** What could not be checked; none of it is an error by itself. */
    notes: sentences,
    /** Why the reports, though whole, may not be the expected ones. */
    doubts: sentences,
    reconciliation_id: text,
    batch_id: text,
    run_id: text,
    file_name: text,
    rejected_by: text,
    withdrawn_by: text,
    /** The status in the summary. An edited file may contain any text. */
    status: text,
    version: count,
    as_of: time.nullable(),
    rows: count,
    events: count,
    /** What the ledger contains about the batch beyond these reports; null if no ledger was given. */
    later: z.strictObject({ events: z.int(), kinds: z.record(z.string(), z.int()) }).nullable(),
    key_fingerprint: text,
    covered_events: count,
    coverage: text,
  }),
  async run(_context, { dir, key, service_list, anchor, ledger }) {
    const options = {
      ...(key ? { publicKey: await readFile(await readable(key), 'utf8') } : {}),
      ...(service_list ? { serviceList: await readable(service_list) } : {}),
      ...(anchor ? { anchors: await readable(anchor) } : {}),
      ...(ledger ? { ledger } : {}),
    };
    return await verify(await readable(dir), options).catch((error: unknown) => {
      // If a file is not what the input says it is, that does not show that the reports were changed.
      throw error instanceof InputError
        ? new AirbatchError('USAGE', error.message, {
            hint: 'Correct the options: nothing was verified.',
            cause: error,
          })
        : error;
    });
  },
});

/** Throws before anything is verified: a missing file does not show that the reports were changed. */
async function readable(path: string): Promise<string> {
  try {
    await access(path, constants.R_OK);
    return path;
  } catch (error) {
    throw new AirbatchError('FILE_UNREADABLE', `${path} cannot be read`, { cause: error });
  }
}
