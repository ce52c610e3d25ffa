import { type Answer, get, send } from '../../api/client.ts';
import { ApiProblem, problemOf } from '../../api/problem.ts';

type Listed = Answer<'/api/v1/drafts'>;
export type DraftSummary = Listed['drafts'][number];

/** A file that is uploaded. */
export interface Upload {
  file: File;
  /** Hex SHA-256; null if this browser cannot tell. */
  sha256: string | null;
}

/** The largest file whose digest is made here (bytes): it has to be in memory as a whole. */
const digestBytesMax = 512 * 1024 * 1024;

export async function makeUpload(file: File): Promise<Upload> {
  const { subtle } = crypto as { subtle?: SubtleCrypto };
  const isMade = subtle !== undefined && file.size <= digestBytesMax;
  const digest = isMade ? new Uint8Array(await subtle.digest('SHA-256', await file.arrayBuffer())) : null;
  return { file, sha256: digest && Array.from(digest, hex).join('') };
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

/** The drafts of the same file that there are: it need not be sent again. */
export async function draftsOf({ sha256 }: Upload, account: string | null): Promise<DraftSummary[]> {
  if (sha256 === null) return [];
  const query = { original_sha256: sha256, ...(account === null ? {} : { account }) };
  return (await get('/api/v1/drafts', { query })).drafts;
}

/** How the whole of a file is read. */
export type FileOptions = Answer<'/api/v1/drafts/{draft_id}'>['options'];

/** Sends a file as the body of a request. `isAnew`: a second draft is made of a file that has one. */
export async function uploadFile(
  { file, sha256 }: Upload,
  {
    account,
    isAnew,
    key,
    options = {},
  }: { account: string | null; isAnew: boolean; key: string; options?: FileOptions },
): Promise<DraftSummary> {
  const query = new URLSearchParams({ ...(account === null ? {} : { account }), ...(isAnew ? { anew: 'true' } : {}) });
  for (const [name, value] of Object.entries(options))
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  const request = new Request(new URL(`/api/v1/drafts?${query}`, location.origin), {
    method: 'POST',
    body: file,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
      'idempotency-key': key,
      ...(sha256 === null ? {} : { 'content-digest': `sha-256=:${base64Of(sha256)}:` }),
    },
  });
  const response = await send(request);
  if (!response.ok) throw new ApiProblem(await problemOf(response));
  return (await response.json()) as DraftSummary;
}

/**
 * Makes a draft of a file that the server has, or returns the open draft of that file if there is one. `options`: how
 * the file is read.
 */
export async function draftOfServerFile(
  { path, name }: { path: string; name: string },
  { account, options }: { account: string; options: FileOptions },
): Promise<DraftSummary> {
  const response = await send(new Request(new URL(path, location.origin)));
  if (!response.ok) throw new ApiProblem(await problemOf(response));
  const upload = await makeUpload(new File([await response.blob()], name));
  return uploadFile(upload, { account, isAnew: false, key: crypto.randomUUID(), options });
}

function base64Of(hexText: string): string {
  const bytes = hexText.match(/../g) ?? [];
  return btoa(String.fromCharCode(...bytes.map((byte) => Number.parseInt(byte, 16))));
}
