import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { requireRole } from '../../../src/runtime/session/roles.ts';
import { loadConfig } from '../../../src/runtime/settings/config.ts';
import { type Role, roles } from '../../../src/runtime/settings/config-shape.ts';
import { folderOf } from '../../support/folder.ts';

describe('who may do what', () => {
  const cases: { people: Record<string, string[]>; may: readonly Role[] }[] = [
    { people: {}, may: roles },
    { people: { prepare: ['joe'] }, may: ['approve', 'operate', 'resolve', 'audit', 'admin'] },
    { people: { submit: ['joe'] }, may: ['approve', 'operate', 'resolve', 'audit', 'admin'] },
    { people: { run: ['joe'] }, may: ['prepare', 'approve', 'audit', 'admin'] },
    { people: { operate: ['joe'], resolve: ['ann'] }, may: ['prepare', 'approve', 'resolve', 'audit', 'admin'] },
    { people: { approve: ['joe'] }, may: ['prepare', 'operate', 'resolve', 'audit'] },
    { people: { approve: ['joe'], admin: ['ann'] }, may: ['prepare', 'operate', 'resolve', 'audit', 'admin'] },
    { people: { audit: ['joe'], operate: ['ann'] }, may: roles },
    { people: { audit: [] }, may: ['prepare', 'approve', 'operate', 'resolve', 'admin'] },
  ];
  for (const { people, may } of cases)
    test(`ann may do the rest if the configuration says ${JSON.stringify(people)}`, async (t) => {
      const cwd = folderOf(t);
      writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ people }));
      const config = await loadConfig({ cwd, env: {}, configPath: undefined });
      const allowed = roles.filter((role) => {
        try {
          requireRole({ config, person: 'ann', through: 'cli' }, role);
          return true;
        } catch (error) {
          assert.match(String(error), /^AirbatchError: ann may not /);
          return false;
        }
      });
      assert.deepEqual(allowed, may);
    });

  test('a job prepares, operates and reads, whoever else may, and nothing more', async (t) => {
    const cwd = folderOf(t);
    const people = Object.fromEntries(roles.map((role) => [role, ['joe']]));
    writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ people }));
    const config = await loadConfig({ cwd, env: {}, configPath: undefined });
    const job = { config, person: 'job payroll', through: 'job:payroll' } as const;
    for (const role of roles) {
      if (['prepare', 'operate', 'audit'].includes(role)) requireRole(job, role);
      else assert.throws(() => requireRole(job, role), { code: 'ROLE_MISSING' });
    }
  });

  test('a role with both its earlier and its new name is refused', async (t) => {
    const cwd = folderOf(t);
    writeFileSync(join(cwd, 'airbatch.config.json'), JSON.stringify({ people: { run: ['joe'], operate: ['ann'] } }));
    await assert.rejects(loadConfig({ cwd, env: {}, configPath: undefined }), {
      code: 'CONFIG_INVALID',
      message: /people.*"run" is the earlier name of "operate": keep one of them/,
    });
  });
});
