import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { logEvents } from '../../../src/core/text/log-events.ts';
import { root } from '../../house/imports.ts';

const page = readFileSync(join(root, 'docs/log.md'), 'utf8');
const described = [...page.matchAll(/^\| `(\w+)` \| (info|warn|error) \| ([^|]*) \|/gm)].map(
  ([, event, level, message]) => ({ event, level, message }),
);
const schema = JSON.parse(readFileSync(join(root, 'docs/log.schema.json'), 'utf8')) as {
  properties: { event: { enum: string[] }; level: { enum: string[] } };
};

describe('the lines of the log', () => {
  test('have codes of their own, and sentences of their own', () => {
    for (const field of ['event', 'message'] as const)
      assert.equal(new Set(logEvents.map((one) => one[field])).size, logEvents.length);
    assert.deepEqual(
      logEvents.filter(({ event }) => !/^[a-z]+(?:_[a-z]+)*$/.test(event)),
      [],
    );
  });

  test('are in docs/log.md and in the schema, all of them and no others', () => {
    assert.deepEqual(described, logEvents);
    assert.deepEqual(schema.properties.event.enum, logEvents.map(({ event }) => event).sort());
    assert.deepEqual(schema.properties.level.enum, ['info', 'warn', 'error']);
  });

  test('are all written somewhere', () => {
    const source = join(root, 'src');
    const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !path.endsWith('log-events.ts'))
      .map((path) => readFileSync(join(source, path), 'utf8'))
      .join('\n');
    // Three sentences end with what is done next.
    const begins = (message: string) => message.replace(/; airbatch (?:tries again|gives it up)$/, '');
    assert.deepEqual(
      logEvents.filter(({ message }) => !texts.includes(begins(message))).map(({ event }) => event),
      [],
    );
  });
});
