import { createHash } from 'node:crypto';

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

/**
 * The digest (SHA-256) of the rows as they were understood, in file order: what an approval binds to, whatever the file's format.
 * What other batches have paid is no part of it: the same content has the same digest every time.
 */
export function makeContentDigest(): { add(row: MeantRow): void; hex(): string } {
  const digest = createHash('sha256');
  return {
    add(row) {
      const isValid = row.status !== 'invalid';
      const meant = [row.row_no, row.row_ref, isValid, row.phone_number, row.network_id, row.amount, row.currency];
      digest.update(`${JSON.stringify([...meant, row.product_id, row.sms_message])}\n`);
    },
    hex: () => digest.digest('hex'),
  };
}
