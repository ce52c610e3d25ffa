/** In valid JSON, quotes and brackets outside of strings are only these; a name is a string before a colon. */
const tokens = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}]/g;

/**
 * The first name that one object of a valid JSON text has twice; null if none has. `JSON.parse` keeps only the last
 * such member, and nobody can say which of the two was meant.
 */
export function repeatedMember(text: string): string | null {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(tokens)) {
    if (token === '{') open.push(new Set());
    else if (token === '}') open.pop();
    else if (string !== undefined && colon !== undefined) {
      const name = JSON.parse(string) as string;
      if (open.at(-1)?.has(name) === true) return name;
      open.at(-1)?.add(name);
    }
  }
  return null;
}
