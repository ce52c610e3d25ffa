/** A count as people read it: "19,974". */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** "1 row", "12 rows": English plurals for counts in sentences. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
