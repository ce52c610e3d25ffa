/** Records of a table as in the file. */
export interface RecordChunk {
  /** The cells of each record, as many as it has. Empty records are left out. */
  records: string[][];
  /** The line of the file where each record begins, as an editor counts (a spreadsheet: its row). */
  lines: number[];
  /** Bytes of the file read so far. */
  bytes: number;
  /** Doubts about the quotes of a record, by its index in `records`; most chunks have none. */
  doubts: ReadonlyMap<number, QuoteDoubt>;
  /** The cells that their sheet shows in another way, by index in `records` and by column. Only for sheets. */
  shown?: ReadonlyMap<number, ReadonlyMap<number, ShownCell>>;
  /** True if the file ends after the last record without a line break: it may have been cut. */
  endsOpen: boolean;
}

/** `swallowed`: a cell seems to contain further rows. `stray`: a cell begins or ends with a single quote. */
export type QuoteDoubt = 'swallowed' | 'stray';

/** How a sheet shows a number. The meaning of the column decides which text is read. */
export interface ShownCell {
  /** The text for an amount column, for example with the currency. Null: the cell as it is. */
  amount: string | null;
  /** The text for a reference column: a date as displayed. Null: the cell as it is. */
  name: string | null;
}
