import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { batchPolicy, policyShape } from '../../../src/core/state/batch-policy.ts';
import { fields } from '../../../src/intake/cells/fields.ts';
import { intakeSettings, intakeShape } from '../../../src/intake/columns/settings.ts';
import { makeClassPlan } from '../../../src/limiter/classes.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { configShape, roles } from '../../../src/runtime/settings/config-shape.ts';
import { folderOf } from '../../support/folder.ts';
import { byPath, documentedKeys, shapeKeys } from '../../support/shape-keys.ts';

const root = resolve(import.meta.dirname, '../../..');
const text = readFileSync(join(root, 'docs/configuration.md'), 'utf8');

describe('docs/configuration.md', () => {
  test('has every key of the configuration with its default, and no other', () => {
    const people = [...roles.map((role) => ({ path: `people.${role}` })), { path: 'people.otherNames', default: {} }];
    const keys = shapeKeys(configShape, '', { intake: intakeShape, policy: policyShape });
    assert.deepEqual(
      byPath(documentedKeys(text, 'The file')),
      byPath([...keys.filter(({ path }) => path !== 'people'), ...people]),
    );
  });

  test('has every variable of the environment, and no other', () => {
    const variables = (from: string) => [...new Set(from.match(/\bAIRBATCH_[A-Z_]+/g))].sort();
    const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => readFileSync(join(root, 'src', path), 'utf8'));
    assert.deepEqual(variables(text), variables(sources.join('\n')));
  });

  test('has the limits that apply if nothing is configured', () => {
    const [v2, v1] = (['v2', 'v1'] as const).map((version) => makeClassPlan(version));
    const documented = [...text.matchAll(/^\| `(\w+)` \| (\d+|with `read`) \| (\d+) \|/gm)].map((row) => row.slice(1));
    assert.deepEqual(
      documented,
      Object.entries(v1?.limits ?? {}).map(([name, { limit }]) => {
        const counter = v2?.counterOf[name as keyof typeof v2.counterOf];
        return [name, counter === name ? String(v2?.limits[counter].limit) : `with \`${counter}\``, String(limit)];
      }),
    );
  });

  for (const [index, [, example = '']] of [...text.matchAll(/```json\n(.*?)```/gs)].entries()) {
    test(`has a valid example ${index + 1}`, async (t) => {
      const folder = folderOf(t);
      writeFileSync(join(folder, 'airbatch.config.json'), example);
      const variables = [...example.matchAll(/"\w+Envs?": \[?"(\w+)"/g)].map(([, name = '']) => name);
      const env = Object.fromEntries(
        variables.map((name) => {
          const [, value] = text.match(new RegExp(`^${name}=(\\S+)`, 'm')) ?? [];
          assert.ok(value, `${name} is in no .env of the document`);
          return [name, value];
        }),
      );
      const config = await loadConfig({ cwd: folder, env });
      const { columns } = intakeSettings(config.intake);
      for (const field of Object.keys(columns)) assert.ok((fields as readonly string[]).includes(field));
      batchPolicy(config.policy);
    });
  }
});
