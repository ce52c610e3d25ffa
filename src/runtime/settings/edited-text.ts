import { readFileSync } from 'node:fs';

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
