import { AirbatchError } from '../../core/basics/errors.ts';

/**
 * What a person says in an option for the audit log, such as `--why`. Throws `USAGE` where there is nothing in it to
 * read.
 */
export function reasonText(option: string, said: unknown): string {
  const text = String(said).trim();
  if (/[^\s\p{C}]/u.test(text)) return text;
  throw new AirbatchError('USAGE', `${option} is empty`, {
    hint: 'Say it in a few words: the audit log keeps it for whoever asks later.',
  });
}
