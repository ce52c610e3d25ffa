import stringWidth from 'string-width';

/** Columns by which a continued line is indented, so that readers can tell it from a new one. */
const indent = 2;
/** `Batch      ` or `Waits for  `: the text after such a label is aligned in a column of its own. */
const labelPattern = /^ *(?:[^ ]+ )?[^ ]+ {2,}/;
/**
 * A word with the spaces before it. A command counts as one word, because a person who copies half of it runs another
 * command. An amount with its currency and a time with its unit count as one word too.
 */
const wordPattern = /( *)((?:airbatch [^",:;]+|\b[A-Z]{3} (?=\d)|\b\d+ (?=(?:s|min|h)\b)|[^ ])+)/g;

/** Stands between words that stay together if the line has room for them. */
const noBreak = '\u00a0';

/**
 * Breaks the lines of a text between words to fit a width. Words longer than a line are left for the screen to break.
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
 * The words of a text, each with the spaces before it. If words that belong together do not fit into one line, they
 * count as separate words.
 */
function* wordsOf(text: string, room: number): Generator<{ gap: string; word: string }> {
  for (const [, gap = '', word = ''] of text.matchAll(wordPattern)) {
    if (word.includes(noBreak) && stringWidth(word) > room) yield* wordsOf(gap + word.replaceAll(noBreak, ' '), room);
    else yield { gap, word };
  }
}
