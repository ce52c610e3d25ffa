import { createHash } from 'node:crypto';
import { unguarded } from '../input/guards.ts';
import type { ResultRow } from '../input/rows.ts';

/** The bytes that are digested at once: a call for each row would take longer than the digest itself. */
const textAtOnce = 32 * 1_024;

/**
 * The digest (SHA-256, hex) of the rows as validated, computed from results.csv: one line of JSON a row.
 * `messageColumn` is the column of the text message, if there is one.
 */
export class ContentDigest {
  readonly #digest = createHash('sha256');
  readonly #messageColumn: string;
  #text = '';

  constructor(messageColumn: string) {
    this.#messageColumn = messageColumn;
  }

  add(row: ResultRow): void {
    const { status, phone_number, network_id, amount, currency } = row;
    const parts = [
      row.row,
      json(unguarded(row.row_ref)),
      status !== 'invalid',
      json(phone_number),
      network_id || 'null',
      json(amount),
      json(currency),
      json(unguarded(row.product_id)),
      json(unguarded(row[this.#messageColumn]?.trim())),
    ];
    this.#text += `[${parts.join(',')}]\n`;
    if (this.#text.length < textAtOnce) return;
    this.#digest.update(this.#text);
    this.#text = '';
  }

  hex(): string {
    return this.#digest.update(this.#text).digest('hex');
  }
}

/** An empty cell means that the row has no such value. */
function json(cell: string | undefined): string {
  return cell ? JSON.stringify(cell) : 'null';
}
