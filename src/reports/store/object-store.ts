import { createReadStream, createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AirbatchError, errorMessage } from '../../core/basics/errors.ts';
import { privateModes } from '../../core/basics/folders.ts';

/** A bucket of an S3-compatible store, as configured. */
export interface Bucket {
  /** Its name in the configuration: "reports.s3". */
  setting: string;
  /** The address of the store; null: Amazon's, in the region. */
  endpoint: string | null;
  region: string;
  bucket: string;
  /** What all keys begin with: empty, or with a slash at its end. */
  prefix: string;
  /** Null: the SDK finds them, as by the role of the machine. */
  credentials: { accessKeyId: Secret; secretAccessKey: Secret; sessionToken: Secret | null } | null;
}

/** It may be replaced while the program runs. */
interface Secret {
  readonly value: string;
}

export interface StoredObject {
  key: string;
  bytes: number;
  /** When it was stored, by the store's clock (epoch ms). */
  at: number;
}

/**
 * Objects under the prefix of a bucket; keys begin after it. Each is there completely or not at all. Every function
 * rejects with `FOLDER_UNWRITABLE` if the store does not answer, or refuses.
 */
export interface ObjectStore {
  /** "s3://bucket/prefix", without a slash at its end. */
  place: string;
  putFile(key: string, path: string): Promise<void>;
  putText(key: string, text: string): Promise<void>;
  /** Stores the text unless there is such an object. Returns whether it did. */
  putNew(key: string, text: string, signal?: AbortSignal): Promise<boolean>;
  /** Null: there is no such object. */
  read(key: string): Promise<Readable | null>;
  readBytes(key: string): Promise<Buffer | null>;
  /** Writes the object to a new file, for its owner alone; no file if there is no such object. */
  readInto(key: string, path: string): Promise<void>;
  list(prefix: string): Promise<StoredObject[]>;
  remove(key: string): Promise<void>;
}

/** How all places in buckets begin. */
const scheme = 's3://';

export function isBucketPlace(place: string): boolean {
  return place.startsWith(scheme);
}

export function bucketPlace({ bucket, prefix }: Pick<Bucket, 'bucket' | 'prefix'>): string {
  return `${scheme}${bucket}/${prefix}`.replace(/\/+$/, '');
}

/** A store that does not answer is given up within a minute or two, and tried again later. */
const connectMs = 5_000;
const idleMs = 30_000;
const requestMs = 120_000;

/** Two parts are in memory at a time. A file has 10,000 parts at most: 160 GB. */
const partBytes = 16 * 2 ** 20;
const partsAtOnce = 2;

const stores = new WeakMap<Bucket, ObjectStore>();

/** The store of a configured bucket: one object for each, because it keeps its connections. */
export function openBucket(bucket: Bucket): ObjectStore {
  const store = stores.get(bucket) ?? makeStore(bucket);
  stores.set(bucket, store);
  return store;
}

/** Connects at the first use, and loads the client then: most installations have no such store. */
function makeStore(bucket: Bucket): ObjectStore {
  const place = bucketPlace(bucket);
  let opened: { keys: string; connected: Promise<Opened> } | null = null;
  /** Null if there is no such object, or if another one is there or comes: these are answers, and no failures. */
  async function ask<Answer>(work: (opened: Opened) => Promise<Answer>): Promise<Answer | null> {
    try {
      const credentials = valuesOf(bucket);
      const keys = JSON.stringify(credentials);
      if (opened?.keys !== keys) opened = { keys, connected: connect(bucket, credentials) };
      return await work(await opened.connected);
    } catch (error) {
      const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
      const status = $metadata?.httpStatusCode;
      if (name === 'NoSuchKey' || name === 'ConditionalRequestConflict' || status === 412) return null;
      throw unusable(bucket, error);
    }
  }
  const at = (key: string) => ({ Bucket: bucket.bucket, Key: `${bucket.prefix}${key}` });
  const read = (key: string) =>
    ask(async ({ client, s3 }) => (await client.send(new s3.GetObjectCommand(at(key)))).Body as Readable);
  const put = (key: string, text: string, condition: { IfNoneMatch?: string } = {}, abortSignal?: AbortSignal) =>
    ask(({ client, s3 }) =>
      client.send(new s3.PutObjectCommand({ ...at(key), Body: text, ...condition }), abortSignal && { abortSignal }),
    );
  return {
    place,
    read,
    async putFile(key, path) {
      await ask(async ({ client, Upload }) => {
        const body = createReadStream(path);
        const params = { ...at(key), Body: body };
        const upload = new Upload({ client, params, partSize: partBytes, queueSize: partsAtOnce });
        await upload.done().finally(() => body.destroy());
      });
    },
    async putText(key, text) {
      await put(key, text);
    },
    async putNew(key, text, signal) {
      return (await put(key, text, { IfNoneMatch: '*' }, signal)) !== null;
    },
    async readBytes(key) {
      const body = await read(key);
      if (body === null) return null;
      const pieces: Buffer[] = [];
      await ask(async () => {
        for await (const piece of body) pieces.push(piece as Buffer);
      });
      return Buffer.concat(pieces);
    },
    async readInto(key, path) {
      const body = await read(key);
      if (body) await ask(() => pipeline(body, createWriteStream(path, { mode: privateModes.file })));
    },
    async list(prefix) {
      const found = await ask((opened) => listAll(opened, bucket, prefix));
      if (found === null) throw unusable(bucket, noList());
      return found;
    },
    async remove(key) {
      await ask(({ client, s3 }) => client.send(new s3.DeleteObjectCommand(at(key))));
    },
  };
}

type Opened = Awaited<ReturnType<typeof connect>>;

async function listAll({ client, s3 }: Opened, { bucket, prefix: own }: Bucket, prefix: string) {
  const found: StoredObject[] = [];
  const command = { Bucket: bucket, Prefix: `${own}${prefix}` };
  for await (const { Contents = [], IsTruncated } of s3.paginateListObjectsV2({ client }, command)) {
    // The client reads any page, such as one of a proxy, as a list without objects.
    if (IsTruncated === undefined) throw noList();
    for (const { Key = '', Size = 0, LastModified } of Contents)
      found.push({ key: Key.slice(own.length), bytes: Size, at: LastModified?.getTime() ?? 0 });
  }
  return found;
}

function valuesOf({ credentials }: Bucket) {
  if (credentials === null) return null;
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const token = sessionToken === null ? {} : { sessionToken: sessionToken.value };
  return { accessKeyId: accessKeyId.value, secretAccessKey: secretAccessKey.value, ...token };
}

async function connect({ endpoint, region }: Bucket, credentials: ReturnType<typeof valuesOf>) {
  const [s3, { Upload }] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')]);
  const client = new s3.S3Client({
    region,
    // Stores other than Amazon's seldom have a host name for each bucket.
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === null ? {} : { credentials }),
    // Stores other than Amazon's do not know the checksums in trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      socketTimeout: idleMs,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
    },
  });
  return { s3, Upload, client };
}

const noList = () => new Error('its answer is not a list of objects');

/** What the client says instead of the store's reason, if there is none, and if the answer is not of such a store. */
const noReason = /^UnknownError$|Deserialization error/;
const noKind = ['Error', 'Unknown', 'UnknownError'];

function unusable(bucket: Bucket, error: unknown): AirbatchError {
  const { code, name, $response } = error as { code?: string; name?: string; $response?: { statusCode?: number } };
  const kind = code ?? name ?? '';
  const message = errorMessage(error);
  const reason = noReason.test(message) ? `it answered HTTP ${$response?.statusCode}` : message;
  const why = noKind.includes(kind) || reason.includes(kind) ? reason : `${kind}: ${reason}`;
  return new AirbatchError('FOLDER_UNWRITABLE', `${bucketPlace(bucket)} cannot be used: ${why}`, {
    hint: `Check "${bucket.setting}" in the configuration, its credentials, and whether the store answers; then try again. Payments go on without it, and the ledger has everything that was paid.`,
    cause: error,
  });
}
