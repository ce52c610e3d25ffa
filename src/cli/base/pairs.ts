import { AirbatchError } from '../../core/basics/errors.ts';

/** The values of an option that is given as `name=value`, by name. */
export function pairs(option: string, example: string, texts: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (!name || !value)
        throw new AirbatchError('USAGE', `${option} cannot read "${text}"`, {
          hint: `Write it as in ${option} ${example}.`,
        });
      return [name.trim(), value];
    }),
  );
}
