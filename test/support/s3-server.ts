import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import type { Bucket } from '../../src/reports/store/object-store.ts';
import { httpServer } from './http-server.ts';

/** A store that speaks as much of S3 as airbatch uses: one bucket, objects in memory, conditional writes. */
export interface S3Server {
  bucket: Bucket;
  /** By key, without the name of the bucket. */
  objects: Map<string, { body: Buffer; at: Date }>;
  /** The requests so far, such as "PUT a/b". */
  requests: string[];
  /** Is called before each request is answered. It may change the objects, or answer with another status. */
  before: (request: string) => number | undefined | Promise<number | undefined>;
  close(): void;
}

const secret = 'the-secret-key-of-the-store';

export async function s3Server(t: TestContext): Promise<S3Server> {
  const parts = new Map<string, Buffer[]>();
  const store: S3Server = {
    bucket: {
      setting: 'reports.s3',
      endpoint: '',
      region: 'us-east-1',
      bucket: 'payouts',
      prefix: 'reports/',
      credentials: { accessKeyId: { value: 'AKIATEST' }, secretAccessKey: { value: secret }, sessionToken: null },
    },
    objects: new Map(),
    requests: [],
    before: () => undefined,
    close: () => undefined,
  };
  const server = await httpServer(t, async (request, body, response) => {
    const url = new URL(request.url ?? '', 'http://store');
    const key = decodeURIComponent(url.pathname.slice('/payouts/'.length));
    const shown = `${request.method} ${key || url.searchParams.get('prefix')}`;
    const refused = await store.before(shown);
    store.requests.push(shown);
    if (refused !== undefined) refuse(response, refused, 'Refused');
    else if (!request.headers.authorization?.includes('AKIATEST')) refuse(response, 403, 'AccessDenied');
    else if (key === '' && request.method === 'GET') list(store, url, response);
    else answer(store, parts, { key, url, body, request, response });
  });
  store.bucket.endpoint = server.url;
  store.close = server.close;
  return store;
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<Error><Code>${code}</Code><Message>the store refuses: ${code}</Message></Error>`);
}

function answer(
  { objects }: S3Server,
  parts: Map<string, Buffer[]>,
  given: { key: string; url: URL; body: Buffer; request: IncomingMessage; response: ServerResponse },
): void {
  const { key, url, body, request, response } = given;
  const upload = url.searchParams.get('uploadId');
  const etag = `"${createHash('md5').update(body).digest('hex')}"`;
  if (url.searchParams.has('uploads')) {
    const id = String(parts.size + 1);
    parts.set(id, []);
    response.end(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  } else if (request.method === 'PUT' && upload !== null) {
    const received = parts.get(upload) ?? [];
    received[Number(url.searchParams.get('partNumber')) - 1] = body;
    response.setHeader('etag', etag).end();
  } else if (request.method === 'POST' && upload !== null) {
    objects.set(key, { body: Buffer.concat(parts.get(upload) ?? []), at: new Date() });
    response.end('<CompleteMultipartUploadResult><ETag>"whole"</ETag></CompleteMultipartUploadResult>');
  } else if (request.method === 'PUT') {
    const isRefused = request.headers['if-none-match'] === '*' && objects.has(key);
    if (!isRefused) objects.set(key, { body, at: new Date() });
    if (isRefused) refuse(response, 412, 'PreconditionFailed');
    else response.setHeader('etag', etag).end();
  } else if (request.method === 'DELETE') {
    objects.delete(key);
    response.writeHead(204).end();
  } else {
    const found = objects.get(key);
    if (found) response.setHeader('content-length', found.body.byteLength).end(found.body);
    else refuse(response, 404, 'NoSuchKey');
  }
}

/** Two keys a page, so that every list has several. */
const keysPerPage = 2;

function list({ objects }: S3Server, { searchParams }: URL, response: ServerResponse): void {
  const [prefix, after] = [searchParams.get('prefix') ?? '', searchParams.get('continuation-token') ?? ''];
  const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
  const page = keys.slice(0, keysPerPage);
  const isCut = keys.length > page.length;
  const contents = page.map((key) => {
    const { body, at } = objects.get(key) ?? { body: Buffer.alloc(0), at: new Date(0) };
    return `<Contents><Key>${key}</Key><LastModified>${at.toISOString()}</LastModified><Size>${body.byteLength}</Size></Contents>`;
  });
  const next = isCut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  response.setHeader('content-type', 'application/xml');
  response.end(`<ListBucketResult><IsTruncated>${isCut}</IsTruncated>${next}${contents.join('')}</ListBucketResult>`);
}
