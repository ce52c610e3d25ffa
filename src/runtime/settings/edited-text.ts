import { readFileSync } from 'node:fs';

/** The marks by which editors, and shells of Windows, say that a file is UTF-16. */
const encodings = [
  { mark: Buffer.from([0xff, 0xfe]), name: 'utf-16le' },
  { mark: Buffer.from([0xfe, 0xff]), name: 'utf-16be' },
] as const;

/**
 * The text of a file that a person wrote in an editor, in UTF-8 or marked UTF-16, without its mark. Throws as
 * `readFileSync`.
 */
export function readEditedText(path: string): string {
  const bytes = readFileSync(path);
  const encoding = encodings.find(({ mark }) => bytes.subarray(0, mark.length).equals(mark));
  return new TextDecoder(encoding?.name ?? 'utf-8').decode(bytes);
}
