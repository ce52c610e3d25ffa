import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { texts } from '../../src/console/texts/en-pages.ts';
import { pauseWhy } from '../../src/core/state/pause-texts.ts';
import { eventMembers } from '../../src/ledger/audit/event-members.ts';
import { auditKinds } from '../../src/reports/sentences/audit-sentences.ts';

const textOf = (path: string) => readFileSync(resolve(import.meta.dirname, '../../src', path), 'utf8');
const pairsIn = (text: string) =>
  new Map([...text.matchAll(/^ {2}'([\w.]+)': '([\w.]+)',$/gm)].map(([, a, b]) => [a, b]));

test('an event has the same text under the name that its kind had in an earlier version', () => {
  const renamed = pairsIn(textOf('ledger/audit/event-kinds.ts'));
  const texts = pairsIn(textOf('console/base/event-text.ts'));
  const known = [...renamed].filter(([, kind]) => texts.has(kind));
  assert.ok(known.length >= 2);
  for (const [earlier, kind] of known) assert.equal(texts.get(earlier), texts.get(kind), earlier);
});

test('every kind of event that the command line has a sentence for has a text in the console', () => {
  const texts = pairsIn(textOf('console/base/event-text.ts'));
  const without = auditKinds.filter((kind) => !texts.has(kind));
  assert.deepEqual(without, []);
});

test('every event of people and access has a text', () => {
  const root = resolve(import.meta.dirname, '../../src');
  const kinds = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('console'))
    .flatMap((path) => [...textOf(path).matchAll(/\bnote\('([\w.]+)'/g)].map(([, kind = '']) => kind));
  assert.ok(new Set(kinds).size >= 20);
  const shared = pairsIn(textOf('console/base/event-text.ts'));
  assert.deepEqual(
    kinds.filter((kind) => !shared.has(kind) && !(`access.${kind}` in texts)),
    [],
  );
});

describe('the details of an event', () => {
  const inFrench = async () => {
    Object.assign(globalThis, { localStorage: { getItem: () => 'fr' }, document: { documentElement: {} } });
    const { loadPageTexts, showLanguage } = await import('../../src/console/texts/i18n.ts');
    await showLanguage('fr');
    await loadPageTexts();
    return (await import('../../src/console/base/event-text.ts')).detailOf;
  };

  test('name every member in the reader’s language, and one of a later version by its own name', async () => {
    const detailOf = await inFrench();
    const own = eventMembers.map((member) => detailOf({ body: JSON.stringify({ [member]: 'x' }) }));
    const names = own.filter((detail) => detail !== '').map((detail) => detail.split('\u{a0}: ')[0] ?? '');
    assert.ok(names.length > 60);
    const alike = ['service', 'code', 'message', 'note', 'version', 'cause', 'session'];
    assert.deepEqual(
      names.filter((name) => (eventMembers as readonly string[]).includes(name) && !alike.includes(name)),
      [],
    );
    assert.equal(detailOf({ body: '{"later_one":3}' }), 'later_one\u{a0}: 3');
  });

  test('say why airbatch has paused a batch, and show values that are codes or times', async () => {
    const detailOf = await inFrench();
    const why = pauseWhy('PAUSE_SHORT', { missing: 'KES 1500, USD 2', others: '' }, 'in English');
    const pause = { reason: 'insufficient_balance', detail: why.text, detail_reason: JSON.stringify(why.reason) };
    const shown = detailOf({ body: JSON.stringify(pause) }).replaceAll(/[\u{a0}\u{202f}]/gu, ' ');
    assert.equal(
      shown,
      'motif : Le solde ne suffit pas · Il manque 1 500,00 KES, 2,00 USD pour le lot entier ; rien n’a été envoyé.',
    );
    const doubt = { why: 'in English', why_reason: JSON.stringify({ code: 'DOUBT_UNFOUND', values: {} }) };
    assert.match(detailOf({ body: JSON.stringify(doubt) }), /^Une personne doit décider[^·]*$/);
    const earlier = detailOf({ body: JSON.stringify({ detail: 'said by an earlier version' }) });
    assert.match(earlier, /said by an earlier version$/);
    assert.match(detailOf({ body: '{"finish_by":1793520000000,"disabled":true}' }), /2026.*désactivé\u{a0}: oui$/u);
  });

  test('have amounts with their currencies, no first attempt, and the program under its own name', async () => {
    const detailOf = await inFrench();
    const paid = { cost: '1212.9', cost_currency: 'KES', attempt: 1, generation: 2 };
    assert.equal(
      detailOf({ body: JSON.stringify(paid) }).replaceAll(/[\u{a0}\u{202f}]/gu, ' '),
      'coût : 1 212,90 KES · paiement numéro : 2',
    );
    assert.match(detailOf({ body: '{"currency":"KES"}' }), /^devise\u{a0}: KES$/u);
    const { actorName } = await import('../../src/console/base/event-text.ts');
    assert.deepEqual(['engine', 'intake', 'wanjiru'].map(actorName), ['airbatch', 'airbatch', 'wanjiru']);
  });

  test('are of no member that this list lacks', () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/report-format.md'), 'utf8');
    const table = page.slice(page.indexOf('| kind | members of'), page.indexOf('Earlier versions had other names'));
    const named = [...table.matchAll(/`([a-z]+(?:_[a-z0-9]+)*)`/g)].map(([, name = '']) => name);
    const values = ['ready', 'received', 'paid', 'cli', 'not_sent', 'null', 'actor', 'body'];
    assert.deepEqual(
      named.filter((name) => !(eventMembers as readonly string[]).includes(name) && !values.includes(name)),
      [],
    );
  });
});
