/** What a screen obeys instead of showing it: control characters, ends of lines, and what turns the direction of writing. */
const unseen = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu;
/** The same within a text of ours, whose lines may end, with tabs; and the colours that we give (`styleText`), which stay. */
const unseenInLines = new RegExp(`\u001B\\[(?:0|1|2|22|31|32|33|36|39)m|${unseen.source}`, 'gu');

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** As JSON escapes it, so that a line of JSON stays what it was. */
function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A text from outside as part of one line of a screen: it can neither begin a line of its own, nor hide or turn what is there. */
export function visible(text: string): string {
  return text.replace(unseen, (character) => short[character] ?? escaped(character));
}

/** A text of several lines as a screen may have it: with our colours, and with nothing else that a screen would obey. */
export function visibleLines(text: string): string {
  return text.replace(unseenInLines, (found) =>
    found.length > 1 || found === '\n' || found === '\t' ? found : escaped(found),
  );
}
