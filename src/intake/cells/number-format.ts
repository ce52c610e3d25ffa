/** How a number format shows a number, if that affects the meaning of a cell. */
export interface NumberFormat {
  /** The format code, for people. */
  code: string;
  /** `date`: a day or a time. `otherwise`: the format hides the number, or shows another one. */
  kind: 'number' | 'date' | 'percent' | 'otherwise';
  /** What the format writes before and after the number, such as a currency. */
  before: string;
  after: string;
  /** Whether the code marks this text as a currency. */
  hasCurrency: boolean;
}

/** A part of a format code: literal text, or a placeholder. */
interface Part {
  kind: 'text' | 'currency' | 'digit' | 'mark' | 'date';
  text: string;
}

/** Excel's own limit is 255. */
const codeLengthMax = 300;

/**
 * The built-in formats that do not show a plain number. Dates are written so that the day is clear in every country; a
 * spreadsheet shows most of them in its own country's way. Programs that use 5 to 8, 42 and 44 without their own code
 * mean dollars.
 */
const builtInCodes: Readonly<Record<number, string>> = {
  ...Object.fromEntries([5, 6, 7, 8, 42, 44].map((id) => [id, '"$"#,##0.00'])),
  ...{ 9: '0%', 10: '0.00%' },
  ...{ 14: 'yyyy-mm-dd', 15: 'd-mmm-yy', 16: 'd-mmm', 17: 'mmm-yy' },
  ...{ 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm', 21: 'h:mm:ss', 22: 'yyyy-mm-dd h:mm' },
  ...Object.fromEntries([27, 28, 29, 30, 31, 32, 33, 34, 35, 36].map((id) => [id, 'yyyy-mm-dd'])),
  ...{ 45: 'mm:ss', 46: '[h]:mm:ss', 47: 'mm:ss.0' },
  ...Object.fromEntries([50, 51, 52, 53, 54, 55, 56, 57, 58].map((id) => [id, 'yyyy-mm-dd'])),
};

export const general: NumberFormat = { code: 'General', kind: 'number', before: '', after: '', hasCurrency: false };

/** The format with this id. The workbook may define its code. */
export function numberFormat(id: number, ownCode: string | undefined): NumberFormat {
  const code = ownCode ?? builtInCodes[id] ?? general.code;
  if (/^general$/i.test(code)) return general;
  if (code.length > codeLengthMax) return { ...general, code: `${code.slice(0, codeLengthMax)}…`, kind: 'otherwise' };
  // The first section is for positive numbers, unless it has a condition.
  const sections = sectionsOf(code);
  const isConditional = sections.some(({ hasCondition }) => hasCondition);
  const shown = (isConditional ? sections : sections.slice(0, 1)).map(({ parts }) => shownBy(parts));
  const [first = general] = shown;
  const isOne = shown.every((one) => one.kind === first.kind && one.before + one.after === first.before + first.after);
  return { ...(isOne ? first : { ...general, kind: 'otherwise' }), code };
}

interface Section {
  parts: Part[];
  hasCondition: boolean;
}

const tokens =
  /"(?<quoted>[^"]*)"?|\\(?<escaped>.)|[_*].|\[(?<bracketed>[^\]]*)\]|(?<meridiem>AM\/PM|A\/P)|(?<general>General)|(?<digit>[0#?@])|(?<mark>[.,%;]|E[+-])|(?<date>[ymdhs]+)|(?<other>.)/gisu;

function sectionsOf(code: string): Section[] {
  const sections: Section[] = [];
  let section: Section = { parts: [], hasCondition: false };
  for (const { groups = {} } of code.matchAll(tokens)) {
    const { quoted, escaped, bracketed, meridiem, general: whole, digit, mark, date, other } = groups;
    if (mark === ';') {
      sections.push(section);
      section = { parts: [], hasCondition: false };
      continue;
    }
    const text = quoted ?? escaped ?? other;
    if (text !== undefined) section.parts.push({ kind: 'text', text });
    else if (digit !== undefined || whole !== undefined) section.parts.push({ kind: 'digit', text: digit ?? '0' });
    else if (mark !== undefined) section.parts.push({ kind: 'mark', text: mark });
    else if (date !== undefined || meridiem !== undefined)
      section.parts.push({ kind: 'date', text: date ?? meridiem ?? '' });
    else if (bracketed !== undefined) addBracketed(section, bracketed);
  }
  return [...sections, section];
}

/**
 * `[$UGX-409]` is a currency and a language, `[h]` are hours beyond a day, `[<100]` is a condition; a colour has no
 * effect.
 */
function addBracketed(section: Section, text: string): void {
  if (text.startsWith('$')) {
    const currency = text.slice(1).replace(/-[0-9A-F]*$/i, '');
    section.parts.push({ kind: currency === '' ? 'text' : 'currency', text: currency });
  } else if (/^(h+|m+|s+)$/i.test(text)) section.parts.push({ kind: 'date', text: `[${text}]` });
  else if (/^[<>=]/.test(text)) section.hasCondition = true;
}

type Shown = Omit<NumberFormat, 'code'>;

function shownBy(parts: readonly Part[]): Shown {
  const first = parts.findIndex(({ kind }) => kind === 'digit');
  const last = parts.findLastIndex(({ kind }) => kind === 'digit');
  const plain = { before: '', after: '', hasCurrency: false };
  if (isDate(parts)) return { kind: 'date', ...plain };
  if (first < 0) return { kind: 'otherwise', ...plain };
  const textOf = (some: readonly Part[]) =>
    some.map(({ kind, text }) => (kind === 'digit' || kind === 'mark' ? '' : text)).join('');
  const hasCurrency = parts.some(({ kind }) => kind === 'currency');
  const before = textOf(parts.slice(0, first)).trim();
  const after = textOf(parts.slice(last + 1)).trim();
  if (parts.some(({ text, kind }) => kind === 'mark' && text === '%'))
    return { kind: 'percent', before, after, hasCurrency };
  // A comma after the last digit hides thousands. Digits, and signs between digits, are part of the number.
  const isScaled = parts[last + 1]?.text === ',' || /,\./.test(marksOf(parts));
  const isMasked = parts
    .slice(first, last)
    .some(({ kind, text }) => kind !== 'digit' && kind !== 'mark' && !/^[\s'’/]*$/u.test(text));
  if (isScaled || isMasked || /\p{Nd}/u.test(before + after)) return { kind: 'otherwise', ...plain };
  return { kind: 'number', before, after, hasCurrency };
}

/** The placeholders of a format from its first digit to its last: "#,##0.00". */
function marksOf(parts: readonly Part[]): string {
  return parts.map(({ kind, text }) => (kind === 'mark' || kind === 'digit' ? text : '')).join('');
}

/** Whether a section shows days or times. Then its only digits are fractions of a second. */
function isDate(parts: readonly Part[]): boolean {
  if (!parts.some(({ kind }) => kind === 'date')) return false;
  const marks = parts
    .map(({ kind, text }) => (kind === 'text' || kind === 'currency' ? '' : kind === 'date' ? 's' : text))
    .join('');
  return !/[0#?@%E]/.test(marks.replace(/s\.0+/g, ''));
}

const monthNames = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November'],
  'December',
];
const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * A day and time (epoch ms, no zone) in a date format, with English names of months and days; null for a format of
 * hours beyond a day.
 */
export function shownDate({ code }: NumberFormat, at: number): string | null {
  const date = new Date(Math.round(at / 1_000) * 1_000);
  const { parts } = sectionsOf(code)[0] ?? { parts: [] };
  if (parts.some(({ kind, text }) => kind === 'date' && text.startsWith('['))) return null;
  const hasHalves = parts.some(({ kind, text }) => kind === 'date' && /^a/i.test(text));
  let text = '';
  let isAfterHour = false;
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'text' || part.kind === 'currency') text += part.text;
    // Fractions of a second name no day.
    else if (part.kind === 'mark' && parts[index + 1]?.kind !== 'digit') text += part.text;
    if (part.kind !== 'date') continue;
    const next = parts.slice(index + 1).find(({ kind }) => kind === 'date');
    const isMinute = /^m{1,2}$/i.test(part.text) && (isAfterHour || /^s/i.test(next?.text ?? ''));
    text += shownPart(part.text.toLowerCase(), date, { isMinute, hasHalves });
    isAfterHour = /^h/i.test(part.text);
  }
  return text.trim();
}

function shownPart(
  part: string,
  date: Date,
  { isMinute, hasHalves }: { isMinute: boolean; hasHalves: boolean },
): string {
  const padded = (value: number) => String(value).padStart(part.length, '0');
  const hours = date.getUTCHours();
  const letter = part[0];
  if (letter === 'a') return part === 'a/p' ? (hours < 12 ? 'A' : 'P') : hours < 12 ? 'AM' : 'PM';
  if (letter === 'h') return padded(hasHalves ? ((hours + 11) % 12) + 1 : hours);
  if (letter === 's') return padded(date.getUTCSeconds());
  if (letter === 'm' && isMinute) return padded(date.getUTCMinutes());
  if (letter === 'y') return String(date.getUTCFullYear()).slice(part.length <= 2 ? -2 : 0);
  const names = letter === 'm' ? monthNames : dayNames;
  const name = names[letter === 'm' ? date.getUTCMonth() : date.getUTCDay()] ?? '';
  if (part.length >= 3) return part.length === 3 ? name.slice(0, 3) : part.length === 5 ? name.slice(0, 1) : name;
  return padded(letter === 'm' ? date.getUTCMonth() + 1 : date.getUTCDate());
}
