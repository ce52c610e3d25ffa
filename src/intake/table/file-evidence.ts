import { readAmount } from '../cells/amount.ts';
import { noEvidence, noteSign, type SignEvidence } from '../cells/amount-signs.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { Source } from '../file/source.ts';
import { openTable } from './table.ts';
import { withoutTrailer } from './trailer.ts';

/** What only the whole file shows. */
export interface FileEvidence {
  signs: SignEvidence;
  /** How many cells every row has; null where they differ. */
  width: number | null;
}

/** Reads the whole file once, so that the order of its rows changes nothing. */
export async function findEvidence(
  source: Source,
  settings: IntakeSettings,
  amountColumn: number,
  signal?: AbortSignal,
): Promise<FileEvidence> {
  const { rows, form } = await openTable(source, settings, signal);
  const { trailer } = settings.guards;
  const isStored = form.format === 'xlsx';
  const signs = noEvidence();
  const widths = new Set<number>();
  for await (const { records, lines } of trailer === null ? rows : withoutTrailer(rows, trailer, { trailer: null })) {
    for (const [index, cells] of records.entries()) {
      if (widths.size < 2) widths.add(cells.length);
      const cell = cells[amountColumn] ?? '';
      noteSign(signs, readAmount(cell), { cell, line: lines[index] as number, isStored });
    }
  }
  const [width = null] = widths;
  return { signs, width: widths.size === 1 ? width : null };
}
