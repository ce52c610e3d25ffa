/**
 * What test/tidy.test.ts reads in the text of a source file. It relies on the formatter: a block ends at its own
 * indent.
 */

export interface FunctionLines {
  name: string;
  lines: number;
}

const keywords = /^(if|for|while|switch|catch|with)\b/;
const method = /^(?:(?:async|static|private|get|set)\s+|[*#])*[\w$]+(?:<.*>)?\(.*\)(?::.*)?\s*\{$/;

/** Every function with a body of several lines, the functions around others included. */
export function functionsOf(text: string): FunctionLines[] {
  const lines = text.split('\n');
  const indentOf = (index: number) => (lines[index] ?? '').search(/\S/);
  const isClosing = (index: number) => /^\s*[)}\]]/.test(lines[index] ?? '');
  return lines.flatMap((line, index) => {
    if (!line.endsWith('{')) return [];
    const indent = indentOf(index);
    let start = index;
    // The head of a function with parameters on lines of their own begins further up, at the same indent.
    while (start > 0 && (isClosing(start) || indentOf(start) !== indent)) start--;
    const head = lines
      .slice(start, index + 1)
      .map((part) => part.trim())
      .join(' ');
    const isFunction =
      /=>\s*\{$/.test(head) || /\bfunction\b/.test(head) || (method.test(head) && !keywords.test(head));
    if (!isFunction) return [];
    let end = index + 1;
    while (end < lines.length && !(indentOf(end) === indent && isClosing(end))) end++;
    const name =
      /(?:function\*?|const|let) (\w+)/.exec(head)?.[1] ??
      /(?:(?:async|static|private|get|set) )*\*?(\w+)/.exec(head)?.[1] ??
      '';
    return [{ name, lines: end - start + 1 }];
  });
}

/** The names that code declares or uses: no comments, no texts. */
export function namesIn(text: string): string[] {
  const code = text.replace(/\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g, ' ');
  return code.match(/[A-Za-z_$][\w$]*/g) ?? [];
}

/** The lines of comments, each with its number: whole lines, and code that a comment follows. */
export function commentLines(text: string): { number: number; line: string }[] {
  return text
    .split('\n')
    .map((line, index) => ({ number: index + 1, line }))
    .filter(({ line }) => /^\s*(\/\/|\/?\*)|[;,{}()]\s+\/\/ /.test(line));
}

/** The words of a name: `isReleasedBeside` and `released_beside` are "is released beside" and "released beside". */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[-_$./]+/g, ' ')
    .trim()
    .toLowerCase();
}
