import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ResultOf } from '../../../../src/console/api/client.ts';
import { texts } from '../../../../src/console/texts/en-pages.ts';

type Audit = ResultOf<'/api/v1/audits'>;

async function findings(audit: Partial<Audit>): Promise<{ tone: string; text: string }[]> {
  Object.assign(globalThis, { localStorage: { getItem: () => 'en' }, document: { documentElement: {} } });
  Object.assign(globalThis, { location: { origin: 'https://airbatch.example' } });
  const { loadPageTexts, showLanguage } = await import('../../../../src/console/texts/i18n.ts');
  await showLanguage('en');
  await loadPageTexts();
  const { auditFindings } = await import('../../../../src/console/pages/audit/audit-findings.ts');
  const good: Audit = {
    ...{ batch_id: null, access: { whole: true, events: 5, broken: null }, anchors: { unread: [] }, is_good: true },
    chain: { whole: true, batches: 2, events: 9, broken: [] },
    rows: { agree: true, edited: [], unread: [] },
  };
  return auditFindings({ ...good, ...audit });
}

test('an audit names each batch whose records were edited, once', async () => {
  const found = await findings({
    is_good: false,
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
  assert.deepEqual(found, [{ tone: 'bad', text: texts['audit.edited'].replace('{batches}', 'B-1, B-2') }]);
});

test('an edited log of people and access is no good audit, although all batches are whole', async () => {
  const found = await findings({ is_good: false, access: { whole: false, events: 5, broken: 'x' } });
  assert.deepEqual(found, [{ tone: 'bad', text: texts['audit.access_edited'] }]);
});

test('heads that could not be compared are said with their place, beside a good audit and beside a bad one', async () => {
  const anchors = { unread: [{ place: 's3://heads', why: 'access denied' }] };
  const unread = { tone: 'attention', text: texts['audit.unread'].replace('{places}', 's3://heads (access denied)') };
  const [whole, ...others] = await findings({ anchors });
  assert.equal(whole?.tone, 'good');
  assert.deepEqual(others, [unread]);
  const bad = await findings({ anchors, is_good: false, access: { whole: false, events: 5, broken: 'x' } });
  assert.deepEqual(bad, [{ tone: 'bad', text: texts['audit.access_edited'] }, unread]);
});
