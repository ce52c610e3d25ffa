import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { newsKinds } from '../../src/notify/recipients.ts';
import { byPath, documentedKeys, shapeKeys } from '../support/shape-keys.ts';
import { unexported } from '../support/unexported.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/jobs.md'), 'utf8');
const jobShape = await unexported<z.ZodType>('runtime/jobs/define-job.ts', 'jobShape');

describe('docs/jobs.md', () => {
  test('has every field of a job with its default, and no other', () => {
    // What a recipient says of itself is the configuration's to document.
    const keys = shapeKeys(jobShape, '', { notifications: z.unknown() });
    assert.deepEqual(byPath(documentedKeys(text, 'Fields')), byPath(keys));
  });

  test('has every kind of news, and no other', () => {
    const [, told = ''] = /^\| kind of news \|[^\n]*\n(.*?)\n\n/ms.exec(text) ?? [];
    assert.deepEqual(
      [...told.matchAll(/^\| `(\w+)` \| /gm)].map(([, kind]) => kind),
      newsKinds,
    );
  });
});
