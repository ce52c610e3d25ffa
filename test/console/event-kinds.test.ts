import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, test } from 'node:test';
import { texts as first } from '../../src/console/texts/en.ts';
import { texts as ofPages } from '../../src/console/texts/en-pages.ts';
import { texts as french } from '../../src/console/texts/fr-pages.ts';
import { type Language, languages } from '../../src/console/texts/i18n.ts';
import { type ErrorReason, reasonOf } from '../../src/core/basics/errors.ts';
import { eventWhys } from '../../src/core/state/event-whys.ts';
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
    return (event: { body: string; why_reason?: ErrorReason }) => detailOf({ why_reason: null, ...event });
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
    // The chain counts columns from 0, and a line that was left out has none.
    assert.match(detailOf({ body: '{"column":1,"line":15}' }), /^colonne\u{a0}: 2 · ligne du fichier\u{a0}: 15$/u);
    assert.doesNotMatch(detailOf({ body: '{"column":-1,"line":15}' }), /colonne/);
  });

  test('say why airbatch has paused a batch, and show values that are codes or times', async () => {
    const detailOf = await inFrench();
    const why = pauseWhy('PAUSE_SHORT', { missing: 'KES 1500, USD 2', others: '' }, 'in English');
    const pause = { reason: 'insufficient_balance', detail: why.text, detail_reason: JSON.stringify(why.reason) };
    const event = { body: JSON.stringify(pause), ...(why.reason && { why_reason: why.reason }) };
    const shown = detailOf(event).replaceAll(/[\u{a0}\u{202f}]/gu, ' ');
    assert.equal(
      shown,
      'motif : Le solde ne suffit pas · Il manque 1 500,00 KES, 2,00 USD pour le lot entier ; rien n’a été envoyé.',
    );
    const doubt = { body: '{"why":"in English"}', why_reason: reasonOf('DOUBT_UNFOUND') };
    assert.match(detailOf(doubt), /^Une personne doit décider[^·]*$/);
    const earlier = detailOf({ body: JSON.stringify({ detail: 'said by an earlier version' }) });
    assert.match(earlier, /said by an earlier version$/);
    assert.match(detailOf({ body: '{"finish_by":1793520000000,"disabled":true}' }), /2026.*désactivé\u{a0}: oui$/u);
  });

  test('say in every language why airbatch did something, with the values of its code', async () => {
    const cost = { cost: '1250', currency: 'KES', other_cost: '1300.5', other_currency: 'KES' };
    const given: Record<string, string> = { ...cost, row_status: 'completed', rows: '7', difference: 'phone_number' };
    for (const language of languages) {
      const detailOf = await inLanguage(language);
      for (const [code, sentence] of Object.entries(eventWhys)) {
        const names = [...sentence.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
        const values = Object.fromEntries(names.map((name) => [name, given[name] ?? `its ${name}`]));
        const shown = detailOf({ body: '{"why":"in English"}', why_reason: reasonOf(code, values) });
        assert.match(shown, /^\p{Lu}[^{}]*\.$/u, `${code} ${language}`);
        assert.ok(!shown.includes('in English'), `${code} ${language}`);
        for (const name of names.filter((name) => /^(service_status|topup_id|generation|rows|currency)$/.test(name)))
          assert.ok(shown.includes(values[name] ?? ''), `${code} ${language} ${name}`);
      }
    }
    const detailOf = await inLanguage('pt');
    const why = (code: string, values: Record<string, string>) =>
      detailOf({ body: '{"why":"in English"}', why_reason: reasonOf(code, values) });
    assert.equal(
      why('WHY_COST', cost).replaceAll(/[\u{a0}\u{202f}]/gu, ' '),
      'A linha custou 1.250,00 KES, e o serviço diz agora 1.300,50 KES.',
    );
    assert.equal(
      why('WHY_ANSWER_NAMES', { difference: 'phone_number' }),
      'A resposta do serviço indica outro número de telefone.',
    );
  });

  test('leave a person’s own words as they are', async () => {
    const detailOf = await inFrench();
    assert.equal(detailOf({ body: '{"why":"interrupted"}' }), 'motif\u{a0}: interrupted');
    const later = { body: '{"why":"said by a later version"}', why_reason: reasonOf('WHY_OF_A_LATER_VERSION') };
    assert.equal(detailOf(later), 'motif\u{a0}: said by a later version');
  });

  test('say why a row was held or skipped, as the page of the row does', async () => {
    const detailOf = await inFrench();
    const skipped = { body: '{"why":"already_paid"}', why_reason: reasonOf('ALREADY_PAID') };
    assert.equal(detailOf(skipped), french['problem.ALREADY_PAID']);
  });

  test('say in the reader’s language what airbatch observed where the service did not answer', async () => {
    const detailOf = await inFrench();
    const answer = (code: string, message: string) => detailOf({ body: JSON.stringify({ code, message }) });
    assert.equal(answer('unparsable', 'the answer is not UTF-8 text'), `message\u{a0}: ${french['answer.unparsable']}`);
    assert.match(answer('http_502', 'HTTP 502 came without an error'), /^message\u{a0}: Une réponse .*HTTP 502/u);
    assert.equal(answer('BAD_NUMBER', 'No such number'), 'code\u{a0}: BAD_NUMBER · message\u{a0}: No such number');
    assert.equal(answer('ok', ''), '');
  });

  test('have no code in English for which there is a text', async () => {
    const detailOf = await inFrench();
    const shown = (data: Record<string, unknown>) => detailOf({ body: JSON.stringify(data) });
    assert.equal(
      shown({ look_up: 'not_found', step: 'send_again' }),
      'vérification\u{a0}: introuvable · étape\u{a0}: envoyer de nouveau',
    );
    assert.equal(shown({ step: 3 }), 'étape\u{a0}: 3');
    assert.equal(shown({ what: 'file of a draft' }), 'partie\u{a0}: fichier d’un brouillon');
    assert.equal(shown({ how: 'password and code' }), 'au moyen de\u{a0}: mot de passe et code');
    assert.equal(shown({ kind: 'totp' }), 'genre\u{a0}: codes');
    const counted = shown({ rows: 12500, sums: '{"KES":"1250.5"}' }).replaceAll(/[\u{a0}\u{202f}]/gu, ' ');
    assert.equal(counted, 'lignes : 12 500 · sommes : 1 250,50 KES');
  });

  test('are missing, and no error, if somebody has damaged them', async () => {
    const detailOf = await inFrench();
    assert.equal(detailOf({ body: '{"why":' }), '');
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

  test('have a text for every code that a gateway gives a request without a proper answer', async () => {
    const sources = readdirSync(resolve(import.meta.dirname, '../../src/gateway'), {
      recursive: true,
      encoding: 'utf8',
    })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => textOf(`gateway/${path}`))
      .join('\n');
    const found = /(?:\bcode: |cancel\(|#fail\(|\? error\.code : |^ {2}[A-Z_]+: )'([a-z_]+)'/gm;
    const codes = [...sources.matchAll(found)].map(([, code = '']) => code);
    // Of an answer as it should be, of a request that is not sent, and of zod.
    const without = ['ok', 'network_needed', 'custom'];
    assert.ok(codes.length >= 15, codes.join());
    assert.deepEqual(
      codes.filter((code) => !without.includes(code) && !(`answer.${code}` in texts)),
      [],
    );
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
