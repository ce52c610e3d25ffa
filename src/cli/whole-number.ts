import { AirbatchError } from '../core/errors.ts';

/** The number that an option says, or undefined where it is not given. Throws `USAGE` with the name of the option. */
export function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,12}$/.test(text)) return Number(text);
  throw new AirbatchError('USAGE', `${option} takes a whole number, not "${text}"`);
}
