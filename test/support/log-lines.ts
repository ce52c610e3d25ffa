import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '../house/imports.ts';

const line = z.fromJSONSchema(JSON.parse(readFileSync(join(root, 'docs/log.schema.json'), 'utf8')));

/** Asserts that each line of the text is one of the log, as docs/log.schema.json describes them. Returns their codes. */
export function logLines(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((one) => {
      const { success, error } = line.safeParse(JSON.parse(one));
      assert.ok(success, `${one}\n${error?.message}`);
      return (JSON.parse(one) as { event: string }).event;
    });
}
