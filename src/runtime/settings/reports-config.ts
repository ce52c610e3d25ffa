import { resolve } from 'node:path';
import { z } from 'zod';
import { safeUrl } from '../../core/text/safe-url.ts';
import type { SecretOf } from '../../notify/recipients.ts';
import { type Bucket, bucketPlace } from '../../reports/store/object-store.ts';

/** A bucket of an S3-compatible store. */
export const s3Shape = z
  .strictObject({
    bucket: z.string().regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'is not the name of a bucket'),
    /** What all keys begin with, as a folder. */
    prefix: z
      .string()
      .regex(/^[\w.-]+(?:\/[\w.-]+)*\/?$/, 'consists of names with a slash between them')
      .optional(),
    region: z.string().min(1).default('us-east-1'),
    /** The address of a store that is not Amazon's. */
    endpoint: safeUrl.optional(),
    accessKeyIdEnv: z.string().min(1).optional(),
    secretAccessKeyEnv: z.string().min(1).optional(),
    sessionTokenEnv: z.string().min(1).optional(),
  })
  .refine(({ accessKeyIdEnv, secretAccessKeyEnv }) => !accessKeyIdEnv === !secretAccessKeyEnv, {
    error: '"accessKeyIdEnv" and "secretAccessKeyEnv" belong together',
  })
  .refine(({ accessKeyIdEnv, sessionTokenEnv }) => !sessionTokenEnv || accessKeyIdEnv, {
    error: '"sessionTokenEnv" needs "accessKeyIdEnv" and "secretAccessKeyEnv"',
  });

/** Where reports are kept, if not in the folder `out`. */
export const reportsShape = z.strictObject({ s3: s3Shape });

/** The place of the reports, and the bucket that it names; `faults` says what is wrong with the two keys together. */
export function resolveReports(
  { out, reports }: { out?: string | undefined; reports?: z.output<typeof reportsShape> | undefined },
  { base, secret }: { base: string; secret: SecretOf },
): { out: string; bucket: Bucket | null; faults: string[] } {
  if (!reports) return { out: resolve(base, out ?? 'reports'), bucket: null, faults: [] };
  const bucket = resolveBucket('reports.s3', reports.s3, secret);
  const faults = out === undefined ? [] : ['out, reports: keep one of the two, because reports are kept in one place'];
  return { out: bucketPlace(bucket), bucket, faults };
}

/** `setting` is its name in the configuration. */
export function resolveBucket(
  setting: string,
  { endpoint, region, bucket, prefix, ...named }: z.output<typeof s3Shape>,
  secret: SecretOf,
): Bucket {
  const { accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv } = named;
  const secretOf = (field: string, variable: string) => secret(`${setting}.${field}`, variable);
  const credentials =
    accessKeyIdEnv && secretAccessKeyEnv
      ? {
          accessKeyId: secretOf('accessKeyIdEnv', accessKeyIdEnv),
          secretAccessKey: secretOf('secretAccessKeyEnv', secretAccessKeyEnv),
          sessionToken: sessionTokenEnv ? secretOf('sessionTokenEnv', sessionTokenEnv) : null,
        }
      : null;
  const slash = prefix === undefined || prefix.endsWith('/') ? '' : '/';
  return { setting, endpoint: endpoint ?? null, region, bucket, prefix: `${prefix ?? ''}${slash}`, credentials };
}
