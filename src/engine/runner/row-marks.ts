/** A set of row numbers with one byte a row; a `Set` of numbers takes about forty. */
export interface RowMarks {
  add(rowNo: number): void;
  has(rowNo: number): boolean;
}

export function makeRowMarks(): RowMarks {
  let marks = new Uint8Array(1_024);
  return {
    add(rowNo) {
      if (rowNo >= marks.length) {
        const larger = new Uint8Array(2 * rowNo);
        larger.set(marks);
        marks = larger;
      }
      marks[rowNo] = 1;
    },
    has: (rowNo) => marks[rowNo] === 1,
  };
}
