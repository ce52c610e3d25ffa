/**
 * What a screen, a page or a mail obeys or hides instead of showing it: control characters, ends of lines, what turns
 * the direction of writing, invisible characters, and halves of surrogates. The joiners (U+200C, U+200D) and variation
 * selectors stay: names and emoji need them.
 */
const unseen =
  /[\p{Cc}\p{Cs}\u2028\u2029\uFFF9-\uFFFB]|(?!\u200C|\u200D|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/gu;
/**
 * The same within a text of ours, whose lines may end, with tabs; and the colours that we give (`styleText`), which
 * stay.
 */
const unseenInLines = new RegExp(`\u001B\\[(?:0|1|2|22|31|32|33|36|39)m|${unseen.source}`, 'gu');

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** As JSON escapes it, so that a line of JSON stays what it was. */
function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');
}

/**
 * A text from outside as part of one line of a screen: it can neither begin a line of its own, nor hide or turn what
 * is there.
 */
export function visible(text: string): string {
  return text.replace(unseen, (character) => short[character] ?? escaped(character));
}

/**
 * A text of several lines as a screen may have it: with our colours, and with nothing else that a screen would obey.
 */
export function visibleLines(text: string): string {
  return text.replace(unseenInLines, (found) =>
    found.startsWith('\u001B[') || found === '\n' || found === '\t' ? found : escaped(found),
  );
}

/** A text of a page, whose lines may end where they like: nothing in it is obeyed or hidden. */
export function visibleText(text: string): string {
  return text.replace(unseen, (found) => (/[\n\r\t]/.test(found) ? found : escaped(found)));
}
