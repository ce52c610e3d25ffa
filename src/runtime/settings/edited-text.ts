import { readFileSync } from 'node:fs';
import { repeatedMember } from '../../core/text/repeated-member.ts';

/** The byte order marks with which editors, and Windows shells, mark a file as UTF-16. */
const encodings = [
  { mark: Buffer.from([0xff, 0xfe]), name: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), name: 'utf-16be' },
] as const;

/**
 * The text of a file that a person wrote in an editor, in UTF-8 or marked UTF-16, without its mark. Throws as
 * `readFileSync` does.
 */
export function readEditedText(path: string): string {
  const bytes = readFileSync(path);
  const encoding = encodings.find(({ mark }) => bytes.subarray(0, mark.length).equals(mark));
  return new TextDecoder(encoding?.name ?? 'utf-8').decode(bytes);
}

/**
 * The value of such a file in JSON. An object that names a member twice is refused: nobody can say which one counts.
 */
export function readEditedJson(path: string): unknown {
  const text = readEditedText(path);
  const value: unknown = JSON.parse(text);
  const repeated = repeatedMember(text);
  if (repeated !== null) throw new Error(`it has ${JSON.stringify(repeated)} twice in one object: remove one of them`);
  return value;
}
