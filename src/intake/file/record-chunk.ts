/** Records of a table as they stand in the file. */
export interface RecordChunk {
  /** The cells of each record: as many as it has. Records without any content are left out. */
  records: string[][];
  /** The line of the file on which each record begins, as an editor counts (a spreadsheet: its row). */
  lines: number[];
  /** Bytes of the file read so far. */
  bytes: number;
  /** What is doubtful about the quotes of a record, by its index in `records`; most chunks have none. */
  doubts: ReadonlyMap<number, QuoteDoubt>;
  /**
   * By index in `records` and by column, the cells that their sheet shows otherwise than they are here. Only a sheet
   * has any.
   */
  shown?: ReadonlyMap<number, ReadonlyMap<number, ShownCell>>;
  /** True where the file ends right after the last record without a line break: it may have been cut. */
  endsOpen: boolean;
}

/** `swallowed`: a cell seems to hold further rows; `stray`: a quote stands alone at an end of a cell. */
export type QuoteDoubt = 'swallowed' | 'stray';

/** How a sheet shows a number: what is to be read of the cell depends on what its column means. */
export interface ShownCell {
  /** Read as an amount: with its currency, say. Null: the cell as it is. */
  amount: string | null;
  /** Read as a name, such as a reference: a date as it is displayed. Null: the cell as it is. */
  name: string | null;
}
