import { AirbatchError } from '../../core/basics/errors.ts';

/**
 * The number of an option, at least `least`; undefined if the option is not given. Throws `USAGE` with the option's
 * name.
 */
export function wholeNumber(option: string, text: string | undefined, least = 0): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,12}$/.test(text) && Number(text) >= least) return Number(text);
  const from = least === 0 ? '' : ` from ${least} on`;
  throw new AirbatchError('USAGE', `${option} takes a whole number${from}, not "${text}"`);
}
