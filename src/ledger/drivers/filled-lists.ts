/** The places of so many values in a statement: "?, ?, ?". */
export function places(count: number): string {
  return Array(count).fill('?').join(', ');
}

/**
 * The keys in lists of this length, the last one filled up with nulls, which equal nothing: so that a statement that
 * asks for many keys has one text, however many there are.
 */
export function filledLists(keys: readonly string[], length: number): (string | null)[][] {
  return Array.from({ length: Math.ceil(keys.length / length) }, (_, index) => {
    const some = keys.slice(index * length, (index + 1) * length);
    return [...some, ...Array<null>(length - some.length).fill(null)];
  });
}
