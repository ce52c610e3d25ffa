import { createInterface } from 'node:readline/promises';
import { stripVTControlCharacters, styleText } from 'node:util';
import stringWidth from 'string-width';
import { visibleLines } from '../../core/text/visible.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { wrapped } from './wrap.ts';

export type Paint = 'red' | 'green' | 'yellow' | 'bold' | 'dim' | 'cyan';

/**
 * The screen that a command writes to: answers on stdout, everything about the work on stderr. Texts from outside are
 * in both, so but for lines and our colours nothing is obeyed by the screen: it is shown escaped. Where a person
 * reads, lines are broken between words.
 */
export interface Terminal {
  /** Whether a person watches (stderr is a terminal): else progress becomes an occasional line. */
  readonly isInteractive: boolean;
  /** Whether a person can be asked. */
  readonly canAsk: boolean;
  /** The columns that an answer has on the screen now; `Infinity` where it goes elsewhere. */
  readonly answerColumns: number;
  print(text: string): void;
  /**
   * Resolves when what was printed has been taken, or nobody reads any more: for answers that are longer than memory.
   */
  taken(): Promise<void>;
  error(text: string): void;
  /**
   * Shows lines that change, below everything else on stderr and in place of those that were shown before: broken to
   * fit the screen, and no more of them than it has. A no-break space holds words together. What is said on stderr
   * meanwhile goes above them.
   */
  show(lines: readonly string[]): void;
  /** Leaves the lines that are shown where they are: what is shown next goes below them. */
  keep(): void;
  paint(style: Paint, text: string): string;
  /** Asks a question that "y" or "yes" answers; anything else is a no. */
  confirm(question: string): Promise<boolean>;
}

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };

/** The streams of a process. */
export interface Streams {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output & { writableNeedDrain?: boolean };
  stderr: Output;
}

/** A terminal may say that it has no columns at all. */
const columnsOf = ({ isTTY, columns }: Output) => (isTTY === true && columns ? columns : Number.POSITIVE_INFINITY);

/** With `json`, what is printed on stdout is for programs, and no line of it is broken. */
export function systemTerminal({ json }: { json: boolean }, { stdin, stdout, stderr }: Streams = process): Terminal {
  const answerColumns = () => (json ? Number.POSITIVE_INFINITY : columnsOf(stdout));
  // Whoever reads the answer may have seen enough of it (`| head`), and a terminal may be closed (EIO): that ends no
  // payout.
  const forgive = (stream: { isTTY?: boolean }) => (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && !(error.code === 'EIO' && stream.isTTY === true)) throw error;
  };
  const shown = shownLines(stderr);
  let isRead = true;
  stdout.on('error', () => {
    isRead = false;
  });
  for (const output of [stdout, stderr]) output.on('error', forgive(output));
  return {
    isInteractive: stderr.isTTY === true,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    get answerColumns() {
      return answerColumns();
    },
    // Painting asks stderr: what goes into a file or to another program has no colours.
    print(text) {
      const lines = wrapped(visibleLines(text), answerColumns());
      stdout.write(stdout.isTTY === true ? lines : stripVTControlCharacters(lines));
    },
    taken: () =>
      new Promise((resolve) => {
        if (!isRead || !stdout.writableNeedDrain) return resolve();
        const events = ['drain', 'close', 'error'];
        const done = () => {
          for (const event of events) stdout.off(event, done);
          resolve();
        };
        for (const event of events) stdout.on(event, done);
      }),
    error: (text) => shown.writeAbove(wrapped(visibleLines(text), columnsOf(stderr))),
    show: shown.show,
    keep: shown.keep,
    paint: (style, text) => styleText(style, text, { stream: stderr }),
    async confirm(question) {
      const lines = createInterface({ input: stdin, output: stderr });
      // Ctrl-C or Ctrl-D at the question is a no, and so is a terminal that is closed: it cannot be given its mode
      // back (EIO).
      const closed = new Promise<string>((resolve) => {
        lines.once('close', () => resolve(''));
        lines.on('error', (error) => {
          forgive(stdin)(error);
          resolve('');
        });
      });
      const answer = await Promise.race([lines.question(visibleLines(question)), closed]);
      lines.close();
      return /^y(es)?$/i.test(answer.trim());
    },
  };
}

/** Lines that change, at the end of an output; the cursor stands at the beginning of the line below them. */
function shownLines(output: Output) {
  const [clearLine, clearBelow, noWrap, wrap] = ['\u001b[K', '\u001b[0J', '\u001b[?7l', '\u001b[?7h'];
  let drawn: string[] = [];
  let drawnColumns = 0;

  /** Goes back to where the lines began, and takes them away. */
  const clear = () => {
    if (drawn.length === 0) return '';
    // A screen that was made narrower has broken the lines anew.
    const columns = columnsOf(output);
    const rows = drawn.reduce((sum, line) => {
      const width = Math.min(stringWidth(line), drawnColumns);
      return sum + Math.max(1, Math.ceil(width / columns));
    }, 0);
    // The first line by itself: some screens put into their history what is cleared from their first row on.
    return `\r\u001b[${rows}A${clearLine}\n${clearBelow}\u001b[1A`;
  };
  // Words that are longer than the screen are cut off, so that no line takes two rows.
  const text = () => (drawn.length === 0 ? '' : `${noWrap}${drawn.map((line) => `${line}\n`).join('')}${wrap}`);

  return {
    show(lines: readonly string[]) {
      const columns = columnsOf(output);
      const next = fittedLines(lines, columns, output.rows || Number.POSITIVE_INFINITY);
      if (columns === drawnColumns && next.join('\n') === drawn.join('\n')) return;
      const cleared = clear();
      [drawn, drawnColumns] = [next, columns];
      output.write(`${cleared}${text()}`);
    },
    keep() {
      // What was typed stands where the next line begins.
      if (drawn.length > 0) output.write(`\r${clearBelow}`);
      drawn = [];
    },
    writeAbove(said: string) {
      output.write(`${clear()}${said}${text()}`);
    },
  };
}

/** Lines as they stand on a screen; where it is too low for all, the last one says how many are missing. */
function fittedLines(lines: readonly string[], columns: number, rows: number): string[] {
  if (lines.length === 0) return [];
  const broken = wrapped(visibleLines(lines.join('\n')), columns)
    .replaceAll('\u00a0', ' ')
    .split('\n');
  // The cursor has a row of its own.
  const most = rows - 1;
  if (broken.length <= most) return broken;
  const seen = broken.slice(0, Math.max(0, most - 1));
  return [...seen, `and ${counted(broken.length - seen.length, 'more line')}: the window is too low`];
}
