import { posix } from 'node:path';
import { AirbatchError } from '../core/errors.ts';
import { readXml } from './xml-reader.ts';
import { damagedWorkbook, type ZipArchive } from './zip-archive.ts';

/** A workbook's list of contents. */
export interface Workbook {
  sheets: { name: string; isHidden: boolean; path: string }[];
  /** Where its texts and styles are, if anywhere. */
  textsPath: string | null;
  stylesPath: string | null;
  /** Whether days are counted from 1904 (old Macintosh) instead of from 1900. */
  from1904: boolean;
}

/** The texts of a workbook are kept in memory: this much of XML is some two million of them. */
const textsBytesMax = 96 * 2 ** 20;
/** Excel's own limit is 65,490. */
const stylesMax = 100_000;

interface Relation {
  target: string;
  type: string;
}

export async function readWorkbook(archive: ZipArchive): Promise<Workbook> {
  const roots = await readRelations(archive, '');
  const path = [...roots.values()].find(({ type }) => type.endsWith('/officeDocument'))?.target;
  if (path === undefined) throw damagedWorkbook('it is not an Excel workbook');
  if (path.endsWith('.bin')) throw damagedWorkbook('it is a binary workbook (.xlsb)');
  const relations = await readRelations(archive, path);
  const sheets: Workbook['sheets'] = [];
  let from1904 = false;
  await readXml(archive.read(path), {
    open(name, attributes) {
      if (name === 'workbookPr') from1904 = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (name !== 'sheet') return;
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '';
      const relation = relations.get(id);
      if (!relation?.type.endsWith('/worksheet')) return;
      const isHidden = attributes.state === 'hidden' || attributes.state === 'veryHidden';
      sheets.push({ name: attributes.name ?? '', isHidden, path: relation.target });
    },
  });
  const pathOf = (type: string) => {
    const target = [...relations.values()].find((relation) => relation.type.endsWith(type))?.target;
    return target !== undefined && archive.has(target) ? target : null;
  };
  return { sheets, textsPath: pathOf('/sharedStrings'), stylesPath: pathOf('/styles'), from1904 };
}

/** What a part of the archive refers to, by id. `path` is "" for the archive itself. */
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

/** The texts that cells refer to by their number. */
export async function readTexts(archive: ZipArchive, path: string): Promise<string[]> {
  if (archive.bytesOf(path) > textsBytesMax) {
    throw new AirbatchError('FILE_REJECTED', 'the workbook has more text than can be read from a workbook', {
      hint: 'Save the sheet as "CSV UTF-8", which is read in any size. Nothing was sent.',
    });
  }
  const texts: string[] = [];
  let text = '';
  let isText = false;
  let isReading = false;
  await readXml(archive.read(path), {
    open(name) {
      if (name === 'si') text = '';
      // How a text is pronounced stands beside it, in Japanese workbooks.
      else if (name === 'rPh') isReading = true;
      else if (name === 't') isText = !isReading;
    },
    text(piece) {
      if (isText) text += piece;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') isReading = false;
      else if (name === 'si') texts.push(plainCharacters(text));
    },
  });
  return texts;
}

/** Characters that XML cannot hold are written "_x000D_". */
export function plainCharacters(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** The formats of dates and times that Excel has built in. */
const isBuiltInDate = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 58);

/** For each style whether it shows a number as a date. */
export async function readDateStyles(archive: ZipArchive, path: string): Promise<boolean[]> {
  const customDates = new Set<number>();
  const styles: boolean[] = [];
  let isInCells = false;
  await readXml(archive.read(path), {
    open(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'cellXfs') isInCells = true;
      else if (name === 'numFmt' && isDateFormat(formatCode)) customDates.add(Number(numFmtId));
      else if (name === 'xf' && isInCells) {
        if (styles.length === stylesMax) throw damagedWorkbook('it has too many styles');
        styles.push(isBuiltInDate(Number(numFmtId)) || customDates.has(Number(numFmtId)));
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return styles;
}

/** Whether a format shows days or times: it has their letters outside of texts, colours and currencies. */
function isDateFormat(format: string): boolean {
  return /[dmyhs]/i.test(format.slice(0, 200).replace(/"[^"]*"|\[[^\]]*\]|\\./g, ''));
}
