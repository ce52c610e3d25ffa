import { ledgerProblems, problemTable } from '../../core/state/problem-table.ts';
import type { Findings } from '../../operations/base/events.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { quoted } from '../base/options-text.ts';

/** Options that change how a file is read. */
const readingOptions = [
  ...(['map', 'sheet', 'headerLine', 'totalLine'] as const),
  ...(['country', 'currency', 'decimal', 'account'] as const),
];

const signNames = { '.': 'decimal point', ',': 'decimal comma', both: 'decimal points and decimal commas' } as const;

const delimiterNames: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'pipes' };

/** How airbatch understood a file, in a few lines. They are shown before anything is sent. */
export function understoodLines({ file, understood, warnings }: Findings): string[] {
  const { format, encoding, delimiter, sheet, decimal_sign: sign } = file;
  const between = delimiter === null ? '' : `separated by ${delimiterNames[delimiter] ?? `"${delimiter}"`}`;
  const form =
    format === 'xlsx' ? `workbook, sheet "${sheet}"` : `${format === 'gzip' ? 'gzip, ' : ''}${encoding}, ${between}`;
  const read = understood.flatMap(({ column, field }) => {
    if (field === null) return [];
    return [column.trim() === field ? field : `${field} = "${column.trim()}"`];
  });
  const kept = understood.flatMap(({ column, field }) =>
    field === null && column.trim() ? [`"${column.trim()}"`] : [],
  );
  return [
    `Read as    ${form}${sign === null ? '' : `, ${signNames[sign]}`}`,
    `Columns    ${read.join(', ')}${kept.length > 0 ? `; kept but not read: ${kept.join(', ')}` : ''}`,
    ...warnings.map((warning) => `Note       ${warning}`),
  ];
}

/**
 * How many kinds of problems are named before the question, the most frequent first. The person can see the rest in the
 * file.
 */
const problemsNamedMax = 3;

/**
 * One line for each problem that makes rows wrong or keeps them from being sent, so that nobody has to guess before
 * deciding. Problems that the person cannot see in the file are all named: those of standard input, which is already
 * read, and those from the ledger.
 */
export function problemLines({ problems }: Findings, file: string, given: Record<string, unknown>): string[] {
  if (problems.length === 0) return [];
  const ofFile = problems.filter(({ code }) => !ledgerProblems.has(code));
  const left = new Set(file === '-' ? [] : ofFile.slice(problemsNamedMax));
  const named = problems
    .filter((problem) => !left.has(problem))
    .map(({ code, count, examples }) => {
      const line = examples[0] ? ` (${count === 1 ? '' : 'first in '}line ${examples[0].line})` : '';
      return `${counted(count, 'row')}: ${problemTable[code].title}${line}`;
    });
  const isSaid = readingOptions.some((option) => given[option] !== undefined);
  const look = `"airbatch validate ${quoted(file)}"${isSaid ? ' with the same options' : ''}`;
  if (left.size > 0) named.push(`and ${counted(left.size, 'other kind')} of problems: ${look} has them all`);
  return named.map((text, index) => `${index === 0 ? 'Problems  ' : '          '} ${text}`);
}
