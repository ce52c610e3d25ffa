import { createHash } from 'node:crypto';
import { makeTextWriter } from '../text/text-writer.ts';

/** The parts of a row that an approval covers. */
export interface MeantRow {
  row_no: number;
  row_ref: string | null;
  status: string;
  phone_number: string | null;
  network_id: number | null;
  amount: string | null;
  currency: string | null;
  product_id: string | null;
  sms_message: string | null;
}

/** The bytes that are digested at once: one call for each row would take longer than the digest itself. */
const bytesAtOnce = 32 * 1024;

/**
 * The digest (SHA-256) of the rows as airbatch understood them, in file order. An approval is bound to it, whatever the
 * file's format. It does not depend on what other batches have paid, so the same content always has the same digest.
 * The one exception is which of several equal rows is paid (intake/history/duplicates.ts).
 */
export function makeContentDigest(): { add(row: MeantRow): void; hex(): string } {
  const digest = createHash('sha256');
  const lines = makeTextWriter(2 * bytesAtOnce);
  return {
    add(row) {
      lines.write('[');
      lines.writeNumber(row.row_no, ',');
      lines.writeJson(row.row_ref, ',');
      lines.write(row.status === 'invalid' ? 'false' : 'true', ',');
      lines.writeJson(row.phone_number, ',');
      if (row.network_id === null) lines.write('null', ',');
      else lines.writeNumber(row.network_id, ',');
      lines.writeJson(row.amount, ',');
      lines.writeJson(row.currency, ',');
      lines.writeJson(row.product_id, ',');
      lines.writeJson(row.sms_message, ']');
      lines.write('\n');
      if (lines.bytes() >= bytesAtOnce) digest.update(lines.take());
    },
    hex: () => digest.update(lines.take()).digest('hex'),
  };
}
