/** The kinds that had another name in earlier versions, by that name. The chains of those versions keep it. */
const renamed: Readonly<Record<string, string>> = {
  'batch.ask_approval': 'batch.request_approval',
  'batch.pause_besides': 'batch.pause_added',
  'batch.press': 'batch.boost',
  'row.review': 'row.escalate',
};

/** The kind of an event as it is called today. */
export function presentKind(kind: string): string {
  return renamed[kind] ?? kind;
}

/** SQL: the kinds as a list, each with its earlier names. */
export function kindsSql(kinds: readonly string[]): string {
  const earlier = Object.keys(renamed).filter((kind) => kinds.includes(presentKind(kind)));
  return [...kinds, ...earlier].map((kind) => `'${kind}'`).join(', ');
}
