import { AirbatchError } from '../../core/basics/errors.ts';
import { rejectedFile } from '../../core/basics/rejected-file.ts';

/** How the bytes of a file are packed. */
export type Format = 'text' | 'gzip' | 'xlsx';

/** Files that people upload by mistake, by their first bytes: what they are, and their kind. */
const strangers: readonly (readonly [Buffer, string, string])[] = [
  [Buffer.from('%PDF'), 'a PDF document', 'pdf'],
  [Buffer.from('d0cf11e0a1b11ae1', 'hex'), 'an old Excel workbook (.xls), or one with a password', 'old_excel'],
  [Buffer.from('89504e47', 'hex'), 'an image', 'image'],
  [Buffer.from('ffd8ff', 'hex'), 'an image', 'image'],
  [Buffer.from('{\\rtf'), 'a rich text document', 'other'],
  [Buffer.from('SQLite format 3'), 'a database', 'other'],
  [Buffer.from('TABLE\r\n0,1'), 'a spreadsheet in the Data Interchange Format (.dif)', 'spreadsheet'],
  [Buffer.from('TABLE\n0,1'), 'a spreadsheet in the Data Interchange Format (.dif)', 'spreadsheet'],
  [Buffer.from('0000020006040600', 'hex'), 'a Lotus 1-2-3 spreadsheet (.wk1)', 'spreadsheet'],
  [Buffer.from('00001a00', 'hex'), 'a Lotus 1-2-3 spreadsheet (.wk3, .wk4, .123)', 'spreadsheet'],
  [Buffer.from('09081000000605', 'hex'), 'an old Excel workbook (.xls)', 'old_excel'],
  [Buffer.from('090406000000', 'hex'), 'an old Excel workbook (.xls)', 'old_excel'],
  [Buffer.from('090208000000', 'hex'), 'an old Excel workbook (.xls)', 'old_excel'],
  [Buffer.from('PAR1\x15'), 'a Parquet file', 'other'],
  [Buffer.from('377abcaf271c', 'hex'), 'a packed archive (.7z)', 'archive'],
  [Buffer.from('Rar!\x1a'), 'a packed archive (.rar)', 'archive'],
  [Buffer.from('BZh91AY'), 'a file packed with bzip2', 'archive'],
  [Buffer.from('fd377a585a00', 'hex'), 'a file packed with xz', 'archive'],
  [Buffer.from('28b52ffd', 'hex'), 'a file packed with zstd', 'archive'],
];

/** More than the first line, which alone could be the header of a CSV: "ID;Phone". */
const sylkForm = /^ID;P[^\r\n]*\r?\n(?:P;[PFE]|O;[A-Z]|F;[A-Z]|B;[XY]|C;[XY]|NN;)/;

const asWorkbook =
  'Open it in a spreadsheet program, save the table as "CSV UTF-8" or as an Excel workbook (.xlsx), and run that file. Nothing was sent.';

/**
 * Detects the format by the content, since a name proves nothing. Throws `FILE_REJECTED` if the file is not a table.
 */
export function formatOf(head: Buffer): Format {
  if (head.length === 0) throw rejectedFile('EMPTY', {}, 'the file is empty');
  for (const [mark, what, kind] of strangers) {
    if (!head.subarray(0, mark.length).equals(mark)) continue;
    throw rejectedFile('NOT_A_TABLE', { kind }, `this is ${what}, not a table`, {
      hint: asWorkbook,
    });
  }
  const text = head.toString('latin1', 0, 512);
  if (sylkForm.test(text)) {
    throw rejectedFile('NOT_A_TABLE', { kind: 'spreadsheet' }, 'this is a SYLK spreadsheet (.slk), not a table', {
      hint: asWorkbook,
    });
  }
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip';
  if (head.subarray(0, 4).equals(Buffer.from('504b0304', 'hex'))) return 'xlsx';
  const start = text.trimStart().toLowerCase();
  if (/^(\xef\xbb\xbf)?mime-version:/.test(start)) {
    throw rejectedFile('NOT_A_TABLE', { kind: 'page' }, 'this is a web page saved in one file (.mht), not a table', {
      hint: asWorkbook,
    });
  }
  if (/^(\xef\xbb\xbf)?<\?xml/.test(start) && start.includes('excel.sheet')) {
    throw rejectedFile('NOT_A_TABLE', { kind: 'spreadsheet' }, 'this is a spreadsheet saved as XML, not a table', {
      hint: asWorkbook,
    });
  }
  if (/^(\xef\xbb\xbf)?<(!doctype|html|table|\?xml)/.test(start)) {
    throw rejectedFile('NOT_A_TABLE', { kind: 'page' }, 'this is a web page or an XML file, not a table', {
      hint: 'Open it in a spreadsheet and save it as "CSV UTF-8" or as an Excel workbook (.xlsx). If you downloaded it, you may have to log in first. Nothing was sent.',
    });
  }
  if (/^(\xef\xbb\xbf)?(\{\s*"|\[\s*[{["])/.test(start))
    throw rejectedFile('NOT_A_TABLE', { kind: 'other' }, 'this is a JSON file, not a table', { hint: asWorkbook });
  return 'text';
}

/** Throws `USAGE` if a sheet was named for a file without sheets: it is unknown which file was meant. */
export function requireWorkbook({ head, name }: { head: Buffer; name: string }): void {
  if (formatOf(head) === 'xlsx') return;
  throw new AirbatchError('USAGE', `${name} is not a workbook (.xlsx), so --sheet cannot be used`, {
    hint: 'Leave out --sheet, or name the workbook. Nothing was sent.',
  });
}
