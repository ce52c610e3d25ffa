import { readAmount } from '../cells/amount.ts';
import { noEvidence, noteSign, type SignEvidence } from '../cells/amount-signs.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { Source } from '../file/source.ts';
import { openTable } from './table.ts';
import { withoutTrailer } from './trailer.ts';

/** Facts that only the whole file shows. */
export interface FileEvidence {
  signs: SignEvidence;
  /** The number of cells of every row; null if it varies. */
  width: number | null;
}

/** Reads the whole file once, so that the order of its rows does not matter. */
export async function findEvidence(
  source: Source,
  settings: IntakeSettings,
  amountColumn: number,
  signal?: AbortSignal,
): Promise<FileEvidence> {
  const { rows, form } = await openTable(source, settings, signal);
  const { trailer } = settings.guards;
  const isStored = form.format === 'xlsx' || source.fromSheet !== null;
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
