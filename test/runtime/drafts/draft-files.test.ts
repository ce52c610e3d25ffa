import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { requireFile } from '../../../src/runtime/drafts/draft-files.ts';
import type { Session } from '../../../src/runtime/session/session.ts';
import { aDraft } from '../../support/drafts.ts';
import { folderOf } from '../../support/folder.ts';

test('the mended file of a workbook is found under its name, and under that of an earlier version', async (t) => {
  const folder = folderOf(t);
  const place = { ledgerPath: join(folder, 'ledger.db'), config: { bucket: null } } as unknown as Session;
  const draft = aDraft({ file_name: 'payroll.xlsx' });
  const mended = join(folder, 'drafts/D-1/mended');
  mkdirSync(mended, { recursive: true });
  await assert.rejects(requireFile(place, draft, 'mended'), /the files of draft D-1 were erased/);
  writeFileSync(join(mended, 'payroll.csv'), 'earlier');
  assert.deepEqual(await requireFile(place, draft, 'mended'), { path: join(mended, 'payroll.csv'), bytes: 7 });
  writeFileSync(join(mended, 'payroll.xlsx.csv'), 'now');
  assert.deepEqual(await requireFile(place, draft, 'mended'), { path: join(mended, 'payroll.xlsx.csv'), bytes: 3 });
});
