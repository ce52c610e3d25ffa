import { createInterface } from 'node:readline/promises';
import { stripVTControlCharacters, styleText } from 'node:util';
import { visibleLines } from '../core/visible.ts';
import { wrapped } from './wrap.ts';

export type Paint = 'red' | 'green' | 'yellow' | 'bold' | 'dim' | 'cyan';

/**
 * The screen that a command writes to: answers on stdout, everything about the work on stderr. Texts from outside are in both, so
 * but for lines and our colours nothing is obeyed by the screen: it is shown escaped. Where a person reads, lines are broken between words.
 */
export interface Terminal {
  /** Whether a person watches (stderr is a terminal): else progress becomes an occasional line. */
  readonly isInteractive: boolean;
  /** Whether a person can be asked. */
  readonly canAsk: boolean;
  /** The columns that an answer has on the screen now; `Infinity` where it goes elsewhere. */
  readonly answerColumns: number;
  print(text: string): void;
  /** Resolves when what was printed has been taken, or nobody reads any more: for answers that are longer than memory. */
  taken(): Promise<void>;
  error(text: string): void;
  /** Writes on stderr what moves the cursor; `text` must be our own, or made `visible`. */
  draw(text: string): void;
  /** Whether a bar stands on the last line: what is said on stderr meanwhile goes above it, whole. */
  setBar(isDrawn: boolean): void;
  paint(style: Paint, text: string): string;
  /** Asks a question that "y" or "yes" answers; anything else is a no. */
  confirm(question: string): Promise<boolean>;
}

type Output = NodeJS.WritableStream & { isTTY?: boolean; columns?: number };

interface Streams {
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output & { writableNeedDrain?: boolean };
  stderr: Output;
}

/** A terminal may say that it has no columns at all. */
const columnsOf = ({ isTTY, columns }: Output) => (isTTY === true && columns ? columns : Number.POSITIVE_INFINITY);

/** With `json`, what is printed on stdout is for programs, and no line of it is broken. */
export function systemTerminal({ json }: { json: boolean }, { stdin, stdout, stderr }: Streams = process): Terminal {
  const answerColumns = () => (json ? Number.POSITIVE_INFINITY : columnsOf(stdout));
  // Whoever reads the answer may have seen enough of it (`| head`): that ends no payout.
  const forgive = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  };
  let hasBar = false;
  let isRead = true;
  stdout.on('error', (error) => {
    isRead = false;
    forgive(error);
  });
  stderr.on('error', forgive);
  return {
    isInteractive: stderr.isTTY === true,
    canAsk: stdin.isTTY === true && stderr.isTTY === true,
    get answerColumns() {
      return answerColumns();
    },
    // Painting asks stderr: what goes into a file or to another program has no colours.
    print(text) {
      const shown = wrapped(visibleLines(text), answerColumns());
      stdout.write(stdout.isTTY === true ? shown : stripVTControlCharacters(shown));
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
    // A bar is cut off at the edge of the screen (wrapping is off meanwhile), draws itself again below what is said, and ends at the
    // place that was kept last (ESC 7).
    error(text) {
      const shown = wrapped(visibleLines(text), columnsOf(stderr));
      stderr.write(hasBar ? `\r\u001b[2K\u001b[?7h${shown}\u001b[?7l\u001b7` : shown);
    },
    draw: (text) => void stderr.write(text),
    setBar(isDrawn) {
      hasBar = isDrawn;
    },
    paint: (style, text) => styleText(style, text, { stream: stderr }),
    async confirm(question) {
      const lines = createInterface({ input: stdin, output: stderr });
      // Ctrl-C or Ctrl-D at the question is a no.
      const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')));
      const answer = await Promise.race([lines.question(visibleLines(question)), closed]);
      lines.close();
      return /^y(es)?$/i.test(answer.trim());
    },
  };
}
