import stringWidth from 'string-width';

/** Columns by which a line goes on further in than it began, so that lines are told apart. */
const indent = 2;
/** `Batch      ` or `Waits for  `: what follows it stands in a column of its own. */
const labelPattern = /^ *(?:[^ ]+ )?[^ ]+ {2,}/;
/**
 * A word with the spaces before it. A command is one word, since who copies half of one runs another command; so is an
 * amount with its currency, and a time with its unit.
 */
const wordPattern = /( *)((?:airbatch [^",:;]+|\b[A-Z]{3} (?=\d)|\b\d+ (?=(?:s|min|h)\b)|[^ ])+)/g;

/** Between words that stay together as long as a line has room for them. */
const noBreak = '\u00a0';

/**
 * A text whose lines are broken between words to fit a screen of so many columns; longer words are left to the screen.
 */
export function wrapped(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => brokenLine(line, columns))
    .join('\n');
}

function brokenLine(line: string, columns: number): string[] {
  if (stringWidth(line) <= columns) return [line];
  const label = labelPattern.exec(line)?.[0] ?? '';
  const hang = stringWidth(label) || (/^ */.exec(line)?.[0].length ?? 0) + indent;
  const lines: string[] = [];
  let current = label;
  let room = columns - stringWidth(label);
  let isBegun = false;
  for (const { gap, word } of wordsOf(line.slice(label.length), columns - hang)) {
    const width = stringWidth(gap + word);
    if (isBegun && width > room) {
      lines.push(current);
      current = ' '.repeat(hang) + word;
      room = columns - hang - stringWidth(word);
    } else {
      current += gap + word;
      room -= width;
    }
    isBegun = true;
  }
  return [...lines, current];
}

/**
 * The words of a text, each with the spaces before it. Those that are held together, and that no line has room for,
 * are words by themselves.
 */
function* wordsOf(text: string, room: number): Generator<{ gap: string; word: string }> {
  for (const [, gap = '', word = ''] of text.matchAll(wordPattern)) {
    if (word.includes(noBreak) && stringWidth(word) > room) yield* wordsOf(gap + word.replaceAll(noBreak, ' '), room);
    else yield { gap, word };
  }
}
