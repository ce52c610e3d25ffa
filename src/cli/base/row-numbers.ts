import { AirbatchError } from '../../core/basics/errors.ts';

/** The row numbers of a command line. Throws `USAGE` for any argument that is not a row number. */
export function rowNumbers(given: readonly string[]): number[] {
  return given.map((text) => {
    if (!/^[1-9][0-9]{0,8}$/.test(text))
      throw new AirbatchError('USAGE', `"${text}" is not a row number`, {
        hint: 'Rows are numbered from 1, without the header. Name them one by one: 17 18 19.',
      });
    return Number(text);
  });
}
