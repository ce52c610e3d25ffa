/**
 * Characters that a screen, page or mail obeys or hides instead of showing: control characters, line ends, changes of
 * the writing direction, invisible characters, and halves of surrogate pairs. The joiners (U+200C, U+200D) and
 * variation selectors stay: names and emoji need them.
 */
const unseen =
  /[\p{Cc}\p{Cs}\u2028\u2029\uFFF9-\uFFFB]|(?!\u200C|\u200D|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/gu;
/** The same for our own texts of several lines: line ends, tabs and our colours (`styleText`) stay. */
const unseenInLines = new RegExp(`\u001B\\[(?:0|1|2|22|31|32|33|36|39)m|${unseen.source}`, 'gu');

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes as JSON does, so that a line of JSON keeps its meaning. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * A text from outside as part of one line of a screen. It can neither begin a new line, nor hide or reverse other text.
 */
export function visible(text: string): string {
  return text.replace(unseen, (character) => short[character] ?? escaped(character));
}

/** A text of several lines for a screen: our colours stay, and any other control sequence is shown. */
export function visibleLines(text: string): string {
  return text.replace(unseenInLines, (found) =>
    found.startsWith('\u001B[') || found === '\n' || found === '\t' ? found : escaped(found),
  );
}

/** A text for a page, which may have several lines: nothing in it is obeyed or hidden. */
export function visibleText(text: string): string {
  return text.replace(unseen, (found) => (/[\n\r\t]/.test(found) ? found : escaped(found)));
}
