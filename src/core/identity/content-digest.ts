import { createHash } from 'node:crypto';
import { makeTextWriter } from '../text/text-writer.ts';

/** What of a row an approval binds to. */
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

/** Bytes that are digested at once: a call for each row takes longer than the digest itself. */
const bytesAtOnce = 32 * 1024;

/**
 * The digest (SHA-256) of the rows as they were understood, in file order: what an approval binds to, whatever the
 * file's format. What other batches have paid is no part of it: the same content has the same digest every time, but
 * where it tells which of several rows alike is meant (intake/earlier-batches.ts).
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
