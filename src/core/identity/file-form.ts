/** How a file was read. A file of its rows must be written in this form to be read the same way again. */
export interface FileForm {
  /** The delimiter of its cells: one that intake detects without a setting. */
  delimiter: string;
  /** The index of the column with the amounts; null if there is none. */
  amountColumn: number | null;
}

/** The form if nothing is known about the file. */
export const plainForm: FileForm = { delimiter: ',', amountColumn: null };
