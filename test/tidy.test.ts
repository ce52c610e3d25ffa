import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, test } from 'node:test';

const root = resolve(import.meta.dirname, '..');
const source = join(root, 'src');

/** What each room may import besides itself: imports run downward only. */
const mayImport: Record<string, readonly string[]> = {
  core: [],
  ledger: ['core'],
  gateway: ['core'],
  limiter: ['core', 'gateway'],
  intake: ['core', 'ledger'],
  engine: ['core', 'ledger', 'gateway', 'limiter'],
  reports: ['core', 'ledger', 'gateway'],
  notify: ['core', 'ledger', 'reports'],
  verify: [],
  sandbox: [],
  runtime: ['core', 'ledger', 'gateway', 'limiter', 'intake', 'engine', 'reports', 'notify', 'sandbox'],
  scheduler: ['core', 'ledger', 'intake', 'engine', 'reports', 'notify', 'runtime'],
  server: ['core', 'ledger', 'gateway', 'limiter', 'engine'],
  cli: [
    'core',
    'notify',
    'ledger',
    'gateway',
    'intake',
    'engine',
    'reports',
    'verify',
    'sandbox',
    'runtime',
    'scheduler',
    'server',
  ],
};

/** Functions of the engine's two loops never meet but in the ledger. */
const strangers: readonly (readonly [string, string])[] = [
  ['engine/dispatch/dispatch.ts', 'engine/tracking/tracking.ts'],
  ['engine/tracking/tracking.ts', 'engine/dispatch/dispatch.ts'],
];

const clocks = ['core/time/clock.ts', 'sandbox/parts/clock.ts'];

/** The globals that make a run unrepeatable, and the files that own them: everybody else is given them. */
const bannedGlobals: readonly { used: RegExp; owners: readonly string[] }[] = [
  { used: /\bDate\.now\b|\bnew Date\b(?!\([^)])|\bperformance\.now\b|\bhrtime\b/, owners: clocks },
  { used: /\b(setTimeout|setInterval|setImmediate)\b/, owners: clocks },
  {
    used: /\bMath\.random\b|\b(randomUUID|randomBytes|randomInt|getRandomValues)\b/,
    owners: [
      'core/basics/random.ts',
      'sandbox/parts/random.ts',
      'reports/versions/signing-key.ts',
      'verify/chain/chain.ts',
    ],
  },
  // Deadlines of requests that are no part of a run: what they bring never moves a row.
  {
    used: /\bAbortSignal\.timeout\b/,
    owners: ['notify/senders.ts', 'runtime/upkeep/anchoring.ts', 'sandbox/webhooks/post.ts'],
  },
  { used: /\bfetch\s*\(/, owners: [] },
];
const freeRooms = new Set(['cli', 'verify']);

const linesMax = 430;

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(folder, path));
}

function imports(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target = '']) =>
    relative(source, resolve(dirname(path), target)),
  );
}

const all = files(source).map((path) => ({
  path: relative(source, path),
  imports: imports(path),
  text: readFileSync(path, 'utf8'),
}));
/** For each file that a file imports, whether a name of it is among what is taken from there. */
function importsByFile(path: string): Map<string, (name: string) => boolean> {
  const text = readFileSync(path, 'utf8');
  const taken = new Map<string, (name: string) => boolean>();
  for (const [, named, target = ''] of text.matchAll(
    /(?:(?:import|export)\s+(?:type\s+)?\{([^}]*)\}\s+from|import\s+\* as \w+ from|(?:await )?import\()\s*'(\.[^']+)'/g,
  )) {
    const file = resolve(dirname(path), target);
    const before = taken.get(file) ?? (() => false);
    taken.set(file, (name) => before(name) || named === undefined || new RegExp(`\\b${name}\\b`).test(named));
  }
  return taken;
}

const roomOf = (path: string) => path.split('/')[0] ?? '';

describe('the house', () => {
  test('has rooms that are known here', () => {
    const rooms = new Set(all.filter(({ path }) => path.includes('/')).map(({ path }) => roomOf(path)));
    assert.deepEqual(
      [...rooms].filter((room) => !mayImport[room]),
      [],
    );
  });

  test('has imports that run downward only', () => {
    const wrong = all.flatMap(({ path, imports: targets }) =>
      targets
        .filter(
          (target) =>
            path.includes('/') && roomOf(target) !== roomOf(path) && !mayImport[roomOf(path)]?.includes(roomOf(target)),
        )
        .map((target) => `${path} imports ${target}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('has no two files that need each other, be it by way of others', () => {
    const targets = new Map(all.map(({ path, imports }) => [path, imports]));
    const left = new Set(targets.keys());
    const isLeaf = (path: string) => !targets.get(path)?.some((target) => left.has(target));
    for (let before = -1; left.size !== before; ) {
      before = left.size;
      for (const path of left) if (isLeaf(path)) left.delete(path);
    }
    assert.deepEqual([...left], []);
  });

  test('keeps dispatch and tracking apart', () => {
    const met = strangers.filter(([a, b]) => all.find(({ path }) => path === a)?.imports.includes(b));
    assert.deepEqual(met, []);
  });

  test('takes time, chance and the network from what is injected', () => {
    const wrong = all
      .filter(({ path }) => !freeRooms.has(roomOf(path)))
      .flatMap(({ path, text }) => {
        const banned = bannedGlobals.filter(({ owners }) => !owners.includes(path));
        return text.split('\n').flatMap((line, index) => {
          const code = line.replace(/^\s*(\/\*\*|\*).*|\/\/ .*/, '');
          return banned.some(({ used }) => used.test(code)) ? [`${path}:${index + 1} ${line.trim()}`] : [];
        });
      });
    assert.deepEqual(wrong, []);
  });

  test('has SQL in the ledger alone (the sandbox has a ledger of its own, and the proof reads without ours)', () => {
    const sql = /\b(SELECT .+ FROM|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/;
    const wrong = all.filter(
      ({ path, text }) => !['ledger', 'sandbox', 'verify'].includes(roomOf(path)) && sql.test(text),
    );
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });

  test('reads the environment in its doors alone', () => {
    const wrong = all.filter(
      ({ path, text }) => /process\.env/.test(text) && !['cli', 'runtime'].includes(roomOf(path)),
    );
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });

  test('has small rooms', () => {
    const large = all.filter(({ text }) => text.split('\n').length > linesMax).map(({ path }) => path);
    assert.deepEqual(large, []);
  });

  test('exports no value that nobody imports', () => {
    const root = resolve(source, '..');
    const users = ['src', 'test', 'bench', 'jobs'].flatMap((room) => files(join(root, room))).map(importsByFile);
    const wrong = all.flatMap(({ path, text }) => {
      const names = [...text.matchAll(/^export (?:async )?(?:function\*?|const|class) (\w+)/gm)].map(
        ([, name = '']) => name,
      );
      return names
        .filter((name) => !users.some((taken) => taken.get(join(source, path))?.(name)))
        .map((name) => `${path}: ${name}`);
    });
    // Commands and the worker are loaded by paths that are put together as they are wanted.
    assert.deepEqual(
      wrong.filter((one) => !/^cli\/[a-z-]+\.ts: (execute|main)$/.test(one)),
      [],
    );
  });

  test('imports no package that package.json does not name: what another one brings along may be gone with its next version', () => {
    const { name: own, dependencies } = JSON.parse(readFileSync(resolve(source, '../package.json'), 'utf8'));
    const packageOf = (module: string) => module.split('/', module.startsWith('@') ? 2 : 1).join('/');
    const wrong = all.flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:import|export) (?:[^']* from )?'([^.'][^']*)'|import\('([^.'][^']*)'\)/gm)]
        .map(([, fixed, asked]) => fixed ?? asked ?? '')
        .filter((module) => !isBuiltin(module) && packageOf(module) !== own && !dependencies[packageOf(module)])
        .map((module) => `${path} imports ${module}`),
    );
    assert.deepEqual(wrong, []);
  });

  test('leaves nothing behind', () => {
    const marks = /\b(TODO|FIXME|XXX)\b|@ts-ignore/;
    const wrong = all.filter(({ text }) => marks.test(text)).map(({ path }) => path);
    assert.deepEqual(wrong, []);
  });
});
