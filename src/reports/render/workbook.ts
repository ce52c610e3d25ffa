import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { dayMs } from '../../core/time/clock.ts';

/**
 * A cell of a workbook, typed so that a spreadsheet can sort and add up; `null` is empty. No text is run as a formula.
 */
export type Cell =
  | null
  | string
  | { as: 'integer'; value: number }
  | { as: 'decimal'; value: string }
  /** Epoch milliseconds; shown in UTC, as the cell says. */
  | { as: 'time'; value: number }
  | { as: 'title' | 'heading' | 'good' | 'bad' | 'waiting' | 'wrapped'; value: string };

export interface Sheet {
  /** At most 31 characters, without any of []:*?/\ */
  name: string;
  /** In characters, from the first column on. */
  widths: number[];
  /** With a header, the first row is fixed and the columns can be filtered. */
  header: string[] | null;
  rows: AsyncIterable<Cell[][]> | Iterable<Cell[][]>;
}

/** The most rows below the header of a sheet (Excel's limit is 1,048,576). */
export const sheetRowsMax = 1_000_000;

/** The style of each kind of cell: its index in `cellXfs` of `stylesXml`. */
const styles = {
  text: 0,
  title: 1,
  heading: 2,
  integer: 3,
  whole: 4,
  cents: 5,
  fine: 6,
  time: 7,
  good: 8,
  bad: 9,
  waiting: 10,
  wrapped: 11,
} as const;

const stylesXml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<numFmts count="3"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss&quot; UTC&quot;"/><numFmt numFmtId="165" formatCode="#,##0.00######"/><numFmt numFmtId="166" formatCode="0"/></numFmts>
<fonts count="6">
<font><sz val="11"/><name val="Calibri"/><family val="2"/></font>
<font><b/><sz val="16"/><name val="Calibri"/><family val="2"/></font>
<font><b/><sz val="11"/><color rgb="FFFFFFFF"/><name val="Calibri"/><family val="2"/></font>
<font><sz val="11"/><color rgb="FF16703C"/><name val="Calibri"/><family val="2"/></font>
<font><sz val="11"/><color rgb="FFB42318"/><name val="Calibri"/><family val="2"/></font>
<font><sz val="11"/><color rgb="FF8A5A00"/><name val="Calibri"/><family val="2"/></font>
</fonts>
<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill><fill><patternFill patternType="solid"><fgColor rgb="FF1F3A5F"/><bgColor indexed="64"/></patternFill></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="12">
${[
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  '<xf numFmtId="49" fontId="1" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>',
  '<xf numFmtId="49" fontId="2" fillId="2" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1"/>',
  '<xf numFmtId="166" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  '<xf numFmtId="3" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  '<xf numFmtId="4" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>',
  ...[3, 4, 5].map(
    (font) =>
      `<xf numFmtId="49" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`,
  ),
  '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyAlignment="1"><alignment vertical="top" wrapText="1"/></xf>',
].join('\n')}
</cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>
</styleSheet>`;

/**
 * The time of all zip entries. The zip format writes local time, so the same local time gives the same bytes
 * everywhere.
 */
const entryTime = new Date(2000, 0, 1);
const entryOptions = { mtime: entryTime, mode: 0o100600, forceDosTimestamp: true, compressionLevel: 3 };

/**
 * Makes a workbook (Office Open XML) as bytes, sheet by sheet while its rows arrive. Memory does not grow with them,
 * and the same rows give the same bytes. We found no library that streams several sheets with filters.
 */
export function workbook(sheets: readonly Sheet[]): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const parts: [string, string][] = [
    ['[Content_Types].xml', contentTypesXml(sheets.length)],
    ['_rels/.rels', relationsXml([['officeDocument', 'xl/workbook.xml']])],
    ['xl/workbook.xml', workbookXml(sheets)],
    [
      'xl/_rels/workbook.xml.rels',
      relationsXml([
        ...sheets.map((_, at): [string, string] => ['worksheet', `worksheets/sheet${at + 1}.xml`]),
        ['styles', 'styles.xml'],
      ]),
    ],
    ['xl/styles.xml', stylesXml],
  ];
  for (const [path, xml] of parts) zip.addBuffer(Buffer.from(xml), path, entryOptions);
  for (const [at, sheet] of sheets.entries()) {
    zip.addReadStreamLazy(`xl/worksheets/sheet${at + 1}.xml`, entryOptions, (ready) => {
      const rows = Readable.from(sheetXml(sheet), { objectMode: false });
      rows.on('error', (error) => output.destroy(error));
      ready(null, rows);
    });
  }
  zip.end();
  return output;
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const namespace = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** How much is compressed at once: enough that the number of calls does not matter. */
const blockBytes = 128 * 1024;
/** One UTF-16 unit as UTF-8. */
const bytesPerCharacterMax = 3;

async function* sheetXml({ widths, header, rows }: Sheet): AsyncGenerator<Buffer> {
  const columns = widths.map((width, at) => `<col min="${at + 1}" max="${at + 1}" width="${width}" customWidth="1"/>`);
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  yield Buffer.from(
    `${xmlHead}<worksheet xmlns="${namespace}"><sheetViews><sheetView workbookViewId="0">${header ? pane : ''}</sheetView></sheetViews>` +
      `<cols>${columns.join('')}</cols><sheetData>`,
  );
  let line = 0;
  if (header) {
    line = 1;
    yield Buffer.from(
      rowXml(
        1,
        header.map((value) => ({ as: 'heading', value })),
      ),
    );
  }
  // Rows are written into a buffer: a joined text would be thousands of pieces that the garbage collector finds alive.
  let block = Buffer.allocUnsafe(blockBytes);
  let filled = 0;
  for await (const page of rows) {
    for (const cells of page) {
      line += 1;
      const xml = rowXml(line, cells);
      const fits = (at: number) => at + xml.length * bytesPerCharacterMax <= blockBytes;
      if (!fits(filled) && filled > 0) {
        yield block.subarray(0, filled);
        block = Buffer.allocUnsafe(blockBytes);
        filled = 0;
      }
      if (fits(filled)) filled += block.write(xml, filled);
      else yield Buffer.from(xml);
    }
  }
  yield block.subarray(0, filled);
  const filter = header && line > 1 ? `<autoFilter ref="A1:${columnName(header.length - 1)}${line}"/>` : '';
  yield Buffer.from(`</sheetData>${filter}</worksheet>`);
}

function rowXml(line: number, cells: readonly Cell[]): string {
  let xml = `<row r="${line}">`;
  for (let at = 0; at < cells.length; at++) {
    const cell = cells[at];
    if (cell !== null && cell !== undefined && cell !== '') xml += cellXml(`${columnName(at)}${line}`, cell);
  }
  return `${xml}</row>`;
}

function cellXml(place: string, cell: Exclude<Cell, null>): string {
  if (typeof cell === 'string') return textXml(place, styles.text, cell);
  switch (cell.as) {
    case 'integer':
      return `<c r="${place}" s="${styles.integer}"><v>${cell.value}</v></c>`;
    case 'time':
      return `<c r="${place}" s="${styles.time}"><v>${serialDay(cell.value)}</v></c>`;
    case 'decimal':
      return decimalXml(place, cell.value);
    default:
      return textXml(place, styles[cell.as], cell.value);
  }
}

/** Spreadsheets count days since 1899-12-30. */
function serialDay(epochMs: number): number {
  return epochMs / dayMs + 25_569;
}

/** A number cell holds 15 significant digits. An amount with more is written as text, so that no digit is lost. */
function decimalXml(place: string, value: string): string {
  const [whole = '', fraction = ''] = value.split('.');
  if (whole.length + fraction.length > 15) return textXml(place, styles.text, value);
  const style = fraction === '' ? styles.whole : fraction.length <= 2 ? styles.cents : styles.fine;
  return `<c r="${place}" s="${style}"><v>${value}</v></c>`;
}

/** The most characters of a cell. The CSV files have longer texts in full. */
const cellCharsMax = 32_767;

/**
 * A cell of type and format text: no spreadsheet computes it, whatever it begins with, even after somebody edits it. So
 * it needs no apostrophe, unlike a cell of a CSV.
 */
function textXml(place: string, style: number, text: string): string {
  return `<c r="${place}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${escapeXml(text.slice(0, cellCharsMax))}</t></is></c>`;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that XML cannot hold.
const special = /[&<>\x00-\x08\x0B-\x1F\uFFFE\uFFFF]|_x(?=[0-9A-Fa-f]{4}_)/;
const specials = new RegExp(special.source, 'g');

/**
 * Characters that XML forbids are written as `_xHHHH_`, as the format says; a text that already looks like that is
 * escaped.
 */
function escapeXml(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  if (!special.test(whole)) return whole;
  return whole.replace(specials, (found) => {
    if (found === '&') return '&amp;';
    if (found === '<') return '&lt;';
    if (found === '>') return '&gt;';
    if (found === '_x') return '_x005F_x';
    return `_x${found.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}

const columnNames: string[] = [];

/** "A" for the first column, "AA" for the 27th. */
function columnName(at: number): string {
  let name = columnNames[at];
  if (name === undefined) {
    name = (at >= 26 ? columnName(Math.floor(at / 26) - 1) : '') + String.fromCharCode(65 + (at % 26));
    columnNames[at] = name;
  }
  return name;
}

function workbookXml(sheets: readonly Sheet[]): string {
  const list = sheets.map(
    ({ name }, at) => `<sheet name="${escapeXml(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`,
  );
  return `${xmlHead}<workbook xmlns="${namespace}" xmlns:r="${relations}"><sheets>${list.join('')}</sheets></workbook>`;
}

function relationsXml(targets: readonly [kind: string, target: string][]): string {
  const list = targets.map(
    ([kind, target], at) => `<Relationship Id="rId${at + 1}" Type="${relations}/${kind}" Target="${target}"/>`,
  );
  return `${xmlHead}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${list.join('')}</Relationships>`;
}

function contentTypesXml(sheetCount: number): string {
  const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
  const sheets = Array.from(
    { length: sheetCount },
    (_, at) => `<Override PartName="/xl/worksheets/sheet${at + 1}.xml" ContentType="${kind}.worksheet+xml"/>`,
  );
  return `${xmlHead}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${kind}.sheet.main+xml"/>${sheets.join('')}<Override PartName="/xl/styles.xml" ContentType="${kind}.styles+xml"/></Types>`;
}
