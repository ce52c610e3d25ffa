import { posix } from 'node:path';
import type { AirbatchError } from '../../core/basics/errors.ts';
import { rejectedFile } from '../../core/basics/rejected-file.ts';
import { type NumberFormat, numberFormat } from '../cells/number-format.ts';
import { readXml } from './xml-reader.ts';
import { damagedWorkbook, type ZipArchive } from './zip-archive.ts';

/** A workbook's list of contents. */
export interface Workbook {
  /** `isActive`: the sheet was active when the workbook was saved. */
  sheets: { name: string; isHidden: boolean; isActive: boolean; path: string }[];
  /** The paths of its texts and styles, if it has any. */
  textsPath: string | null;
  stylesPath: string | null;
  /** Whether days are counted from 1904 (old Macintosh) instead of from 1900. */
  from1904: boolean;
}

/** The texts of a workbook are kept in memory: this much XML has about two million of them. */
const textsBytesMax = 96 * 2 ** 20;
/** Excel's own limit is 65,490. */
const stylesMax = 100_000;
/** Excel's own limit is 32,767 characters. */
export const cellLengthMax = 100_000;

export function tooLongCell(): AirbatchError {
  return damagedWorkbook('it has a cell that is longer than any');
}

interface Relation {
  target: string;
  type: string;
}

export async function readWorkbook(archive: ZipArchive): Promise<Workbook> {
  const roots = await readRelations(archive, '');
  const path = [...roots.values()].find(({ type }) => type.endsWith('/officeDocument'))?.target;
  if (path === undefined) throw damagedWorkbook(await strangeArchive(archive));
  if (path.endsWith('.bin')) throw damagedWorkbook('it is a binary workbook (.xlsb)');
  const relations = await readRelations(archive, path);
  const sheets: Workbook['sheets'] = [];
  let from1904 = false;
  let activeTab = 0;
  let tabs = 0;
  await readXml(archive.read(path), {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (name === 'workbookView') activeTab = Number(attributes.activeTab ?? '0');
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      const relation = relations.get(id);
      const isActive = tabs === activeTab;
      tabs += 1;
      if (!relation?.type.endsWith('/worksheet')) return;
      const isHidden = attributes.state === 'hidden' || attributes.state === 'veryHidden';
      sheets.push({ name: attributes.name ?? '', isHidden, isActive, path: relation.target });
    },
  });
  const pathOf = (type: string) => {
    const target = [...relations.values()].find((relation) => relation.type.endsWith(type))?.target;
    return target !== undefined && archive.has(target) ? target : null;
  };
  return { sheets, textsPath: pathOf('/sharedStrings'), stylesPath: pathOf('/styles'), from1904 };
}

/** What kind of file an archive without a workbook is. */
async function strangeArchive(archive: ZipArchive): Promise<string> {
  if (archive.has('Index/Document.iwa')) return 'it is a document of Numbers (.numbers)';
  if (archive.has('mimetype') && archive.bytesOf('mimetype') < 200) {
    let type = '';
    for await (const part of archive.read('mimetype')) type += part.toString();
    if (type.startsWith('application/vnd.oasis.opendocument.spreadsheet'))
      return 'it is an OpenDocument spreadsheet (.ods)';
  }
  return 'it is not an Excel workbook';
}

/** The relations of a part of the archive, by id. `path` is "" for the archive itself. */
async function readRelations(archive: ZipArchive, path: string): Promise<Map<string, Relation>> {
  const slash = path.lastIndexOf('/');
  const folder = path.slice(0, slash + 1);
  const relationsPath = `${folder}_rels/${path.slice(slash + 1)}.rels`;
  const relations = new Map<string, Relation>();
  if (!archive.has(relationsPath)) return relations;
  await readXml(archive.read(relationsPath), {
    open(name, { Id = '', Target = '', Type = '' }) {
      if (name === 'Relationship') relations.set(Id, { target: resolved(folder, Target), type: Type });
    },
  });
  return relations;
}

function resolved(folder: string, target: string): string {
  return target.startsWith('/') ? target.slice(1) : posix.join(folder, target);
}

/** The texts to which cells refer by number. */
export async function readTexts(archive: ZipArchive, path: string): Promise<string[]> {
  if (archive.bytesOf(path) > textsBytesMax) {
    throw rejectedFile(
      'TOO_LARGE',
      { bytes: textsBytesMax },
      'the workbook has more text than can be read from a workbook',
      {
        hint: 'Save the sheet as "CSV UTF-8", which is read in any size. Nothing was sent.',
      },
    );
  }
  const texts: string[] = [];
  let text = '';
  let isText = false;
  let isReading = false;
  await readXml(archive.read(path), {
    open(name) {
      if (name === 'si') text = '';
      // Japanese workbooks also have the pronunciation of a text.
      else if (name === 'rPh') isReading = true;
      else if (name === 't') isText = !isReading;
    },
    text(piece) {
      if (isText) text += piece;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') isReading = false;
      else if (name === 'si') {
        if (text.length > cellLengthMax) throw tooLongCell();
        texts.push(plainCharacters(text));
      }
    },
  });
  return texts;
}

/**
 * Characters that XML forbids are written as "_x000D_". A zero, or half of a character, is no text that a ledger could
 * keep.
 */
export function plainCharacters(text: string): string {
  if (!text.includes('_x')) return text;
  return text
    .replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll('\0', '')
    .toWellFormed();
}

/** The formatting of a cell, if it affects the meaning. */
export interface CellStyle {
  format: NumberFormat;
  isStruck: boolean;
}

/** The styles of a workbook, by the number with which cells refer to them. */
export async function readStyles(archive: ZipArchive, path: string): Promise<CellStyle[]> {
  const ownCodes = new Map<number, string>();
  const formats = new Map<number, NumberFormat>();
  const struckFonts: boolean[] = [];
  const styles: CellStyle[] = [];
  let part = '';
  await readXml(archive.read(path), {
    open(name, attributes) {
      const { numFmtId = '0', formatCode = '', fontId = '' } = attributes;
      if (name === 'cellXfs' || name === 'fonts') part = name;
      else if (name === 'numFmt' && part === '') ownCodes.set(Number(numFmtId), formatCode);
      else if (name === 'font' && part === 'fonts') struckFonts.push(false);
      else if (name === 'strike' && part === 'fonts') struckFonts[struckFonts.length - 1] = isOn(attributes.val);
      else if (name === 'xf' && part === 'cellXfs') {
        if (styles.length === stylesMax) throw damagedWorkbook('it has too many styles');
        const id = Number(numFmtId);
        const format = formats.get(id) ?? numberFormat(id, ownCodes.get(id));
        formats.set(id, format);
        styles.push({ format, isStruck: struckFonts[Number(fontId)] === true });
      }
    },
    close(name) {
      if (name === part) part = '';
    },
  });
  return styles;
}

function isOn(value = '1'): boolean {
  return value !== '0' && value !== 'false';
}
