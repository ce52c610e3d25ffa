import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResultOf } from '../../../../src/console/api/client.ts';
import { texts } from '../../../../src/console/texts/en-pages.ts';

type Audit = ResultOf<'/api/v1/audits'>;

async function faultsIn(audit: Partial<Audit>): Promise<string> {
  Object.assign(globalThis, { localStorage: { getItem: () => 'en' }, document: { documentElement: {} } });
  Object.assign(globalThis, { location: { origin: 'https://airbatch.example' } });
  const { loadPageTexts, showLanguage } = await import('../../../../src/console/texts/i18n.ts');
  await showLanguage('en');
  await loadPageTexts();
  const { auditFaults } = await import('../../../../src/console/pages/audit/audit-faults.ts');
  const good: Audit = {
    ...{ batch_id: null, access: { whole: true, events: 5, broken: null }, anchors: { unread: [] }, is_good: false },
    chain: { whole: true, batches: 2, events: 9, broken: [] },
    rows: { agree: true, edited: [], unread: [] },
  };
  return auditFaults({ ...good, ...audit });
}

test('an audit names each batch whose records were edited, once', async () => {
  const said = await faultsIn({
    chain: { whole: false, batches: 2, events: 9, broken: [{ batch_id: 'B-1', why: 'x' }] },
    rows: {
      agree: false,
      edited: [
        { batch_id: 'B-1', why: 'x' },
        { batch_id: 'B-2', why: 'x' },
      ],
      unread: [],
    },
  });
  assert.equal(said, texts['audit.edited'].replace('{batches}', 'B-1, B-2'));
});

test('an edited log of people and access is no good audit, although all batches are whole', async () => {
  const said = await faultsIn({ access: { whole: false, events: 5, broken: 'x' } });
  assert.equal(said, texts['audit.access_edited']);
});
