import { createInterface } from 'node:readline/promises';
import { stripVTControlCharacters, styleText } from 'node:util';
import stringWidth from 'string-width';
import { visibleLines } from '../../core/text/visible.ts';
import { counted } from '../../reports/text/counted-text.ts';
import { wrapped } from './wrap.ts';

export type Paint = 'red' | 'green' | 'yellow' | 'bold' | 'dim' | 'cyan';

/**
 * The screen that a command writes to: results on stdout, everything about the work on stderr. Both contain texts from
 * outside. So control characters in these texts are escaped, except for line breaks and airbatch's own colours. Where a
 * person reads, lines are broken between words.
 */
export interface Terminal {
  /** Whether a person watches (stderr is a terminal). If not, progress is printed as an occasional line. */
  readonly isInteractive: boolean;
  /** Whether a person can answer a question. */
  readonly canAsk: boolean;
  /** The current width of stdout in columns; `Infinity` if stdout is no terminal. */
  readonly answerColumns: number;
  print(text: string): void;
  /**
   * Resolves when the printed text is written, or when the reader has closed the stream. For results longer than
   * memory.
   */
  taken(): Promise<void>;
  error(text: string): void;
  /**
   * Shows changing lines at the end of stderr, in place of the lines shown before. Lines are broken to fit the screen,
   * and no more lines are shown than it has. A no-break space keeps words together. Other output on stderr goes above
   * these lines.
   */
  show(lines: readonly string[]): void;
  /** Leaves the shown lines where they are. The next lines go below them. */
  keep(): void;
  paint(style: Paint, text: string): string;
  /** Asks a question. "y" or "yes" agrees; any other answer declines. */
  confirm(question: string): Promise<boolean>;
}

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number; rows?: number };

/** The streams of a process. */
export interface Streams {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output & { writableNeedDrain?: boolean };
  stderr: Output;
}

/** A terminal may report zero columns. */
const columnsOf = ({ isTTY, columns }: Output) => (isTTY === true && columns ? columns : Number.POSITIVE_INFINITY);

/** With `json`, programs read stdout, so its lines are never broken. */
export function systemTerminal({ json }: { json: boolean }, { stdin, stdout, stderr }: Streams = process): Terminal {
  const answerColumns = () => (json ? Number.POSITIVE_INFINITY : columnsOf(stdout));
  // The reader may close stdout early (`| head`), and a terminal may be closed (EIO). Neither may end a payout.
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
    // Colours depend on stderr: a file or another program gets none.
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
      // Ctrl-C or Ctrl-D at the question declines. A closed terminal declines too: its mode cannot be restored (EIO).
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

/** Changing lines at the end of an output. The cursor stands at the start of the line below them. */
function shownLines(output: Output) {
  const [clearLine, clearBelow, noWrap, wrap] = ['\u001b[K', '\u001b[0J', '\u001b[?7l', '\u001b[?7h'];
  let drawn: string[] = [];
  let drawnColumns = 0;

  /** Moves the cursor back to the first line and clears all of them. */
  const clear = () => {
    if (drawn.length === 0) return '';
    // A screen that became narrower has broken the lines again.
    const columns = columnsOf(output);
    const rows = drawn.reduce((sum, line) => {
      const width = Math.min(stringWidth(line), drawnColumns);
      return sum + Math.max(1, Math.ceil(width / columns));
    }, 0);
    // The first line is cleared separately, because some terminals move text that is cleared from their first row into
    // their history.
    return `\r\u001b[${rows}A${clearLine}\n${clearBelow}\u001b[1A`;
  };
  // Words wider than the screen are cut off, so that no line takes two rows.
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
      // What the person typed, such as ^C, stands where the next line begins.
      if (drawn.length > 0) output.write(`\r${clearBelow}`);
      drawn = [];
    },
    writeAbove(said: string) {
      output.write(`${clear()}${said}${text()}`);
    },
  };
}

/** Lines as they fit on a screen. If it has too few rows, the last line says how many lines are missing. */
function fittedLines(lines: readonly string[], columns: number, rows: number): string[] {
  if (lines.length === 0) return [];
  const broken = wrapped(visibleLines(lines.join('\n')), columns)
    .replaceAll('\u00a0', ' ')
    .split('\n');
  // The cursor takes one row.
  const most = rows - 1;
  if (broken.length <= most) return broken;
  const seen = broken.slice(0, Math.max(0, most - 1));
  return [...seen, `and ${counted(broken.length - seen.length, 'more line')}: the window is too small`];
}
