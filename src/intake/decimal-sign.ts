import { readAmount } from './amount.ts';
import type { IntakeSettings } from './settings.ts';
import type { Source } from './source.ts';
import { openTable } from './table.ts';

/**
 * The decimal sign of a file's amounts, by the amounts that can be read in one way only; `none` where there is no such
 * amount, or where they contradict each other. The whole file is read, so that the order of its rows changes nothing.
 */
export async function findDecimalSign(
  source: Source,
  settings: IntakeSettings,
  amountColumn: number,
  signal?: AbortSignal,
): Promise<'.' | ',' | 'none'> {
  const { rows } = await openTable(source, settings, signal);
  let sign: '.' | ',' | 'none' = 'none';
  for await (const { records } of rows) {
    for (const cells of records) {
      const reading = readAmount(cells[amountColumn] ?? '');
      if (reading.kind !== 'read' || reading.decimalSign === null || reading.decimalSign === sign) continue;
      if (sign !== 'none') return 'none';
      sign = reading.decimalSign;
    }
  }
  return sign;
}
