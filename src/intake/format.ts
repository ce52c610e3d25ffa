import { AirbatchError } from '../core/errors.ts';

/** How the bytes of a file are packed. */
export type Format = 'text' | 'gzip' | 'xlsx';

/** What people upload by mistake, by the first bytes. */
const strangers: readonly (readonly [Buffer, string])[] = [
  [Buffer.from('%PDF'), 'a PDF document'],
  [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'an old Excel workbook (.xls), or one with a password'],
  [Buffer.from('89504e47', 'hex'), 'an image'],
  [Buffer.from('ffd8ff', 'hex'), 'an image'],
  [Buffer.from('{\\rtf'), 'a rich text document'],
  [Buffer.from('SQLite format 3'), 'a database'],
];

/** Tells the format by the content: a name is only what somebody called it. Throws `FILE_REJECTED` for what is no table. */
export function formatOf(head: Buffer): Format {
  if (head.length === 0) throw new AirbatchError('FILE_REJECTED', 'the file is empty');
  for (const [mark, what] of strangers) {
    if (!head.subarray(0, mark.length).equals(mark)) continue;
    throw new AirbatchError('FILE_REJECTED', `this is ${what}, not a table`, {
      hint: 'Save the table as "CSV UTF-8" or as an Excel workbook (.xlsx), and run that file. Nothing was sent.',
    });
  }
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head.subarray(0, 4).equals(Buffer.from('504b0304', 'hex'))) return 'xlsx';
  const start = head.toString('latin1', 0, 512).trimStart().toLowerCase();
  if (/^(\xef\xbb\xbf)?<(!doctype|html|table|\?xml)/.test(start)) {
    throw new AirbatchError('FILE_REJECTED', 'this is a web page or an XML file, not a table', {
      hint: 'Open it in a spreadsheet and save it as "CSV UTF-8" or as an Excel workbook (.xlsx); where it was downloaded, perhaps that needs a log-in. Nothing was sent.',
    });
  }
  return 'text';
}

/** Throws `USAGE` where a sheet was named for a file that has none: which file was meant is not known. */
export function requireWorkbook({ head, name }: { head: Buffer; name: string }): void {
  if (formatOf(head) === 'xlsx') return;
  throw new AirbatchError('USAGE', `${name} is not a workbook (.xlsx), so it has no sheets for --sheet to name`, {
    hint: 'Leave out --sheet, or name the workbook. Nothing was sent.',
  });
}
