/** Names in a sentence: "a", "a and b", "a, b and c". */
export function listText(names: readonly string[], last: 'and' | 'or'): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(` ${last} `);
}
