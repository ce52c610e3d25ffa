import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { whySentences } from '../../src/console/base/event-text.ts';
import { texts as first } from '../../src/console/texts/en.ts';
import { texts as ofPages } from '../../src/console/texts/en-pages.ts';
import { texts as french } from '../../src/console/texts/fr-pages.ts';
import { type Language, languages } from '../../src/console/texts/i18n.ts';
import { type EventWhy, eventWhys } from '../../src/core/state/event-whys.ts';
import { pauseWhy } from '../../src/core/state/pause-texts.ts';
import { presentKind } from '../../src/ledger/audit/event-kinds.ts';
import { eventMembers } from '../../src/ledger/audit/event-members.ts';
import { auditKinds } from '../../src/reports/sentences/audit-sentences.ts';

const textOf = (path: string) => readFileSync(resolve(import.meta.dirname, '../../src', path), 'utf8');
const texts = { ...first, ...ofPages };

test('an event has the same text under the name that its kind had in an earlier version', () => {
  const earlierKinds = (path: string) => textOf(path).match(/^ {2}'[\w.]+': '[\w.]+',$/gm);
  assert.ok((earlierKinds('ledger/audit/event-kinds.ts') ?? []).length >= 2);
  assert.deepEqual(earlierKinds('console/base/event-text.ts'), earlierKinds('ledger/audit/event-kinds.ts'));
});

test('every kind of event that the command line has a sentence for has a text in the console', () => {
  const without = auditKinds.filter((kind) => !(`event.${presentKind(kind)}` in texts));
  assert.deepEqual(without, []);
});

test('every event of people and access has a text', () => {
  const root = resolve(import.meta.dirname, '../../src');
  const kinds = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.startsWith('console'))
    .flatMap((path) => [...textOf(path).matchAll(/\bnote\('([\w.]+)'/g)].map(([, kind = '']) => kind));
  assert.ok(new Set(kinds).size >= 20);
  assert.deepEqual(
    kinds.filter((kind) => !(`event.${kind}` in texts) && !(`access.${kind}` in texts)),
    [],
  );
});

describe('the details of an event', () => {
  const inLanguage = async (language: Language) => {
    Object.assign(globalThis, { localStorage: { getItem: () => language }, document: { documentElement: {} } });
    const { loadPageTexts, showLanguage } = await import('../../src/console/texts/i18n.ts');
    await showLanguage(language);
    await loadPageTexts();
    const { detailOf } = await import('../../src/console/base/event-text.ts');
    return (event: { kind?: string; actor?: string; body: string }) =>
      detailOf({ kind: 'row.doubt', actor: 'engine', ...event });
  };
  const inFrench = () => inLanguage('fr');

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

  test('say in every language why airbatch did something, with the values of its sentence', async () => {
    assert.deepEqual(whySentences, eventWhys);
    const samples = {
      difference: 'phone number',
      row_status: 'completed',
      cost: '1250',
      other_cost: '1300.5',
      rows: '7',
    };
    const sampleOf = (name: string) => ({ ...samples, currency: 'KES', other_currency: 'KES' })[name] ?? `its ${name}`;
    for (const language of languages) {
      const detailOf = await inLanguage(language);
      for (const [code, sentence] of Object.entries(eventWhys)) {
        const why = sentence.replaceAll(/\{(\w+)\}/g, (_, name) => sampleOf(name));
        const shown = detailOf({ body: JSON.stringify({ why }) });
        assert.match(shown, /^\p{Lu}[^{}]*\.$/u, `${code} ${language}`);
        assert.ok(!shown.includes(why), `${code} ${language}`);
        for (const [, name = ''] of sentence.matchAll(/\{(service_status|topup_id|generation|rows|currency)\}/g))
          assert.ok(shown.includes(sampleOf(name)), `${code} ${language} ${name}`);
      }
    }
    const detailOf = await inLanguage('pt');
    const cost: EventWhy = 'the row cost 1250 KES, and the service now says 1300.5 KES';
    assert.equal(
      detailOf({ body: JSON.stringify({ why: cost }) }).replaceAll(/[\u{a0}\u{202f}]/gu, ' '),
      'A linha custou 1.250,00 KES, e o serviço diz agora 1.300,50 KES.',
    );
    const phone: EventWhy = 'the answer names another phone number';
    assert.equal(
      detailOf({ body: JSON.stringify({ why: phone }) }),
      'A resposta do serviço indica outro número de telefone.',
    );
  });

  test('leave a person’s own words as they are', async () => {
    const detailOf = await inFrench();
    const body = JSON.stringify({ why: 'interrupted' });
    const shown = (kind: string, actor: string) => detailOf({ kind, actor, body });
    for (const kind of ['batch.cancel', 'batch.pause', 'batch.pause_added', 'batch.forget', 'row.skip'])
      assert.equal(shown(kind, 'wanjiru'), 'motif\u{a0}: interrupted');
    assert.equal(shown('row.doubt', 'wanjiru'), french['reason.WHY_INTERRUPTED']);
    assert.equal(detailOf({ body: '{"why":"said by a later version"}' }), 'motif\u{a0}: said by a later version');
  });

  test('say why a row was held or skipped, as the page of the row does', async () => {
    const detailOf = await inFrench();
    const whys = ['MAY_BE_PAID', 'already_paid'].map((why) =>
      detailOf({ kind: 'row.skip', body: JSON.stringify({ why }) }),
    );
    assert.deepEqual(whys, [french['problem.MAY_BE_PAID'], french['problem.ALREADY_PAID']]);
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
    assert.deepEqual(['engine', 'reconcile', 'wanjiru'].map(actorName), ['airbatch', 'airbatch', 'wanjiru']);
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
