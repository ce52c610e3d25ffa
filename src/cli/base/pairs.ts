import { AirbatchError } from '../../core/basics/errors.ts';

/** The values of an option that is given as `name=value`, by name. */
export function pairs(option: string, example: string, texts: readonly string[]): Record<string, string> {
  const values = new Map<string, string>();
  for (const text of texts) {
    const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
    if (!name || !value)
      throw new AirbatchError('USAGE', `${option} cannot read "${text}"`, {
        hint: `Write it as in ${option} ${example}.`,
      });
    // The last value must not replace the others in silence: it may be the sum that the file is compared with.
    if (values.has(name.trim()))
      throw new AirbatchError('USAGE', `${option} is given twice for "${name.trim()}"`, {
        hint: 'Leave one of them out.',
      });
    values.set(name.trim(), value);
  }
  return Object.fromEntries(values);
}
