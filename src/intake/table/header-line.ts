import { type FileNote, fileNote } from '../../core/basics/rejected-file.ts';
import { plainName } from '../../core/text/plain-name.ts';
import { withoutNumbers } from '../../core/text/redact.ts';
import { meaningOf } from '../columns/column-names.ts';
import type { IntakeSettings } from '../columns/settings.ts';
import type { Table, TableForm } from './table.ts';

/** How many records below the first may be the header: titles take a few lines. */
const looked = 20;

/** The line of the first record that looks like a header although another record is above it; null if there is none. */
export function likelyHeaderLine(
  { sample, sampleLines }: Pick<Table, 'sample' | 'sampleLines'>,
  mapping: IntakeSettings['columns'],
): number | null {
  const mapped = new Map(Object.entries(mapping).map(([field, name]) => [plainName(name), field]));
  const index = sample.slice(0, looked).findIndex((cells) => {
    // The delimiter was detected from the first line, which is not the header. A line may be a hundred thousand commas.
    const names = cells.flatMap((cell) => cell.split(/[,;\t|]/));
    const found = new Set([...new Set(names)].map((name) => mapped.get(plainName(name)) ?? meaningOf(name)));
    found.delete(null);
    return found.has('phone_number') && found.size > 1;
  });
  return sampleLines[index] ?? null;
}

/** The most lines above the header whose content is shown. */
const namedMax = 3;

/** Which lines above the header were not read, and their content: somebody may miss one of them. */
export function aboveWarning({ above }: Pick<TableForm, 'above'>, headerLine: number | null): FileNote[] {
  if (headerLine === null || above.length === 0) return [];
  const last = headerLine - 1;
  const which = last === 1 ? 'Line 1 above the header is' : `Lines 1 to ${last} above the header are`;
  const texts = above.slice(0, namedMax).map((cells) => {
    const text = cells
      .map((cell) => cell.trim())
      .filter((cell) => cell !== '')
      .join(' ');
    return `"${withoutNumbers(text.length > textMax ? `${text.slice(0, textMax)}...` : text)}"`;
  });
  const shown = `${texts.join(', ')}${above.length > namedMax ? ', ...' : ''}`;
  return [fileNote('ABOVE_HEADER', { line: last, texts: shown }, `${which} not read: ${shown}.`)];
}

const textMax = 60;
