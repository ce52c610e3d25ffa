/** How a file was read, as far as a file of its rows must be written so that they are read as the same again. */
export interface FileForm {
  /** Between its cells: a character by which intake finds the columns by itself. */
  delimiter: string;
  /** The index of the column of its amounts; null where it has none. */
  amountColumn: number | null;
}

/** The form of a file of which nothing is known. */
export const plainForm: FileForm = { delimiter: ',', amountColumn: null };
