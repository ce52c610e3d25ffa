import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AirbatchError } from '../../core/basics/errors.ts';
import { uploadsFolder } from '../../runtime/drafts/draft-files.ts';
import type { Session } from '../../runtime/session/session.ts';
import { Refused } from '../base/problem.ts';

/** The largest uploaded file (bytes): some ten million rows. */
const uploadBytesMax = 1024 ** 3;

/** The longest name of a file (bytes): file systems take 255, and a draft stores files with longer names. */
const nameBytesMax = 200;

/** An uploaded file. It is in its own folder next to the ledger until it is removed. */
export interface Upload {
  path: string;
  /** Hex SHA-256 of its bytes. */
  sha256: string;
  remove(): Promise<void>;
}

/**
 * Writes the body of a request into a file that only this user can read, piece by piece: memory does not grow with it.
 * Throws `REQUEST_TOO_LARGE`, at once where the request says how much it sends, `USAGE` without a name,
 * and `REQUEST_INVALID` if `Content-Digest` (RFC 9530) names another digest than that of what has arrived.
 */
export async function receiveUpload(
  { ledgerPath, random }: Pick<Session, 'ledgerPath' | 'random'>,
  request: IncomingMessage,
): Promise<Upload> {
  if (Number(request.headers['content-length'] ?? 0) > uploadBytesMax) throw tooLarge();
  const folder = join(uploadsFolder(ledgerPath), random.hex(8));
  const path = join(folder, fileNameOf(request.headers['content-disposition']));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const remove = () => rm(folder, { recursive: true, force: true });
  const hash = createHash('sha256');
  let bytes = 0;
  const counting = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      hash.update(piece);
      done(bytes > uploadBytesMax ? tooLarge() : null, piece);
    },
  });
  try {
    await pipeline(request, counting, createWriteStream(path, { mode: 0o600, flags: 'wx' }));
  } catch (error) {
    await remove();
    throw error;
  }
  const sha256 = hash.digest('hex');
  const [, sent = null] = /sha-256=:([^:]+):/i.exec(request.headers['content-digest']?.toString() ?? '') ?? [];
  if (sent === null || Buffer.from(sent, 'base64').toString('hex') === sha256) return { path, sha256, remove };
  await remove();
  throw new Refused('REQUEST_INVALID', 'The file has another digest than Content-Digest says: a part of it was lost.');
}

function tooLarge(): Refused {
  return new Refused('REQUEST_TOO_LARGE', 'The file is larger than 1 GiB.', { hint: 'Split it into smaller files.' });
}

/** The name of the file, as `Content-Disposition` has it: the batch keeps it. */
function fileNameOf(header: string | undefined): string {
  const [, encoded, plain] = header?.match(/filename\*=UTF-8''([^;\s]+)|filename="?([^";]+)"?/i) ?? [];
  const name = storableName(decoded(encoded) ?? plain ?? '');
  if (name !== '') return name;
  throw new AirbatchError('USAGE', 'the header Content-Disposition does not name the file', {
    hint: 'Send, for example, Content-Disposition: attachment; filename="november.csv".',
  });
}

/**
 * The name without folders and without characters that cannot be seen, which names in some scripts have, and shortened
 * at the end of its stem. "" if nothing is left.
 */
function storableName(name: string): string {
  const visible = name
    .replace(/^.*[/\\]/s, '')
    .replace(/\p{C}/gu, '')
    .replace(/^[\s.]+/, '');
  const [ending = ''] = /(?:\.[a-z0-9]{1,8}){0,2}$/i.exec(visible) ?? [];
  const stem = [...visible.slice(0, visible.length - ending.length)];
  while (Buffer.byteLength(stem.join('')) + ending.length > nameBytesMax) stem.pop();
  return stem.join('') + ending;
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
