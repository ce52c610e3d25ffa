import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { metricTable } from '../../src/server/metrics/metric-table.ts';
import { root } from '../house/imports.ts';

const page = readFileSync(join(root, 'docs/monitoring.md'), 'utf8');
/** The documented metrics; another test compares them with those that are served. Prometheus adds `up` itself. */
const known = new Set([
  'up',
  ...[...page.matchAll(/^\| `(\w+)` \| (?:gauge|counter|histogram) /gm)].map(([, name]) => name),
]);

/** The metrics that an expression of PromQL names, without the suffixes of histograms. */
function metricsIn(expression: string): string[] {
  const bare = expression.replaceAll(/"[^"]*"/g, '""').replaceAll(/\{[^}]*\}/g, ' ');
  return [...bare.matchAll(/\b(?:airbatch|process|nodejs)_\w+/g)].map(([name]) =>
    name.replace(/_(bucket|count|sum)$/, ''),
  );
}

describe('deploy/alerts.yaml', () => {
  const text = readFileSync(join(root, 'deploy/alerts.yaml'), 'utf8');
  const rules = text.split(/^ {6}- alert: /m).slice(1);

  test('has rules for every kind of question, each with a summary, a severity and a runbook', () => {
    assert.ok(rules.length >= 30);
    for (const rule of rules) {
      assert.match(rule, /^ {8}expr: /m, rule);
      assert.match(rule, /^ {8}labels: \{ severity: (?:page|ticket) \}$/m, rule);
      assert.match(rule, /^ {10}summary: /m, rule);
      const [, runbook = ''] = rule.match(/^ {10}runbook_url: (docs\/runbooks\/[a-z-]+\.md)$/m) ?? [];
      assert.ok(runbook !== '' && existsSync(join(root, runbook)), `no runbook: ${rule}`);
    }
  });

  test('names only metrics that exist', () => {
    const names = rules.flatMap((rule) => metricsIn(rule.slice(rule.indexOf('expr:'), rule.indexOf('annotations:'))));
    assert.ok(names.length >= rules.length - 1);
    assert.deepEqual(
      names.filter((name) => !known.has(name)),
      [],
    );
  });
});

interface Panel {
  title: string;
  type: string;
  targets?: { expr: string }[];
}

describe('deploy/grafana.json', () => {
  const { panels } = JSON.parse(readFileSync(join(root, 'deploy/grafana.json'), 'utf8')) as { panels: Panel[] };
  const named = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => metricsIn(expr)));

  test('asks only for metrics that exist, in every panel', () => {
    for (const { title, type, targets } of panels) assert.ok(type === 'row' || (targets ?? []).length > 0, title);
    assert.deepEqual(
      named.filter((name) => !known.has(name)),
      [],
    );
  });

  test('shows every metric of ours', () => {
    const shown = new Set(named);
    assert.deepEqual(
      Object.keys(metricTable).filter((name) => !shown.has(`airbatch_${name}`)),
      [],
    );
  });
});
