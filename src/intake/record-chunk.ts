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
  /** True where the file ends right after the last record without a line break: it may have been cut. */
  endsOpen: boolean;
}

/** `swallowed`: a cell seems to hold further rows; `stray`: a quote stands alone at an end of a cell. */
export type QuoteDoubt = 'swallowed' | 'stray';
