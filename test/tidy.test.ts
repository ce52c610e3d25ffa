import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { commentLines, functionsOf, namesIn, wordsOf } from './tidy-source.ts';

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
  notify: ['core', 'ledger', 'reports', 'engine'],
  verify: [],
  sandbox: [],
  // A browser program: it knows the HTTP API alone.
  console: [],
  runtime: ['core', 'ledger', 'gateway', 'limiter', 'intake', 'engine', 'reports', 'notify', 'sandbox'],
  scheduler: ['core', 'ledger', 'intake', 'engine', 'reports', 'notify', 'runtime', 'operations'],
  server: ['core', 'ledger', 'gateway', 'limiter', 'engine', 'runtime', 'operations'],
  operations: ['core', 'ledger', 'gateway', 'intake', 'engine', 'reports', 'notify', 'runtime', 'verify', 'sandbox'],
  fleet: ['core'],
  serving: ['core', 'ledger', 'notify', 'reports', 'runtime', 'operations', 'scheduler', 'server', 'fleet'],
  library: ['core', 'runtime', 'operations'],
  cli: ['core', 'reports', 'sandbox', 'runtime', 'operations', 'serving'],
};

/**
 * The sub-rooms of each room from the bottom up: one imports itself and those before it. `.` is the room's root files,
 * which may import all of their room; what stands before `.` may not import them.
 */
const subRooms: Record<string, readonly string[]> = {
  core: ['basics', 'time', 'money', 'text', 'identity', 'state', 'duplicates'],
  ledger: [
    ...['drivers', 'drivers/sqlite', 'drivers/postgres'],
    'schema',
    'audit',
    'access',
    'batches',
    'jobs',
    'rows',
    'accounts',
    'outbox',
    'drafts',
    '.',
    'reporting',
  ],
  gateway: ['contract', 'transport', 'v1', 'v2', 'webhooks', '.'],
  limiter: ['.'],
  operations: [
    'base',
    'access',
    'webhooks',
    'working',
    'files',
    'mending',
    'drafts',
    'batches',
    'rows',
    'audit',
    'backup',
    'service',
    'migration',
    'proof',
    'slots',
    'jobs',
    '.',
  ],
  intake: ['cells', 'columns', 'file', 'workbook', 'table', 'rows', 'history', 'check', 'mending', 'thread', '.'],
  engine: [
    'pacing',
    'forecast',
    'plan',
    'runner',
    'payments',
    'batches',
    'doubts',
    'tracking',
    'dispatch',
    'decisions',
    '.',
  ],
  reports: ['text', 'summary', 'versions', 'store', 'sentences', 'render', 'reconcile', '.'],
  notify: ['.'],
  verify: ['input', 'chain', 'checks', '.'],
  console: [
    ...['texts/en', 'texts/fr', 'texts/sw', 'texts/pt', 'texts', 'api', 'base', 'forms', 'shell'],
    ...[
      'pages/sign-in',
      'pages/people',
      'pages/batches',
      'pages/upload',
      'pages/draft-changes',
      'pages/batch',
      'pages/new-batch',
      'pages/approval',
      'pages/doubts',
      'pages/settings',
      'pages/audit',
      'pages/jobs',
      'pages/wallets',
      'pages/reports',
      'pages/reconciliation',
      'pages/payments',
      'pages/payout',
      'pages/workers',
    ],
    '.',
  ],
  sandbox: ['parts', 'money', 'http', 'v1', 'v2', 'webhooks', '.'],
  runtime: ['logging', 'settings', 'session', 'backup', 'accounts', 'drafts', 'upkeep', 'jobs', 'inbox'],
  scheduler: ['.'],
  server: ['base', 'metrics', 'sign-in', 'api', '.'],
  fleet: ['.'],
  serving: ['.'],
  library: ['.'],
  cli: [
    'base',
    'session',
    'text',
    'running',
    'service',
    'audits',
    'batches',
    'files',
    'migration',
    'backup',
    'serving',
    '.',
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
      'core/basics/first-file.ts',
      'verify/chain/fingerprint.ts',
    ],
  },
  // Deadlines of requests that are no part of a run: what they bring never moves a row.
  {
    used: /\bAbortSignal\.timeout\b/,
    owners: ['notify/post.ts', 'runtime/upkeep/anchoring.ts', 'sandbox/webhooks/post.ts', 'serving/opening.ts'],
  },
  // pg-boss's own `fetch` takes jobs.
  { used: /(?<!\bboss\.)\bfetch\s*\(/, owners: [] },
];
const freeRooms = new Set(['cli', 'verify', 'console']);

const fileLinesMax = 300;
const functionLinesMax = 70;
const folderFilesMax = 18;
const commentColumnsMax = 120;

/** Words that say nothing to a reader, or five things at once: a name says what it stands for. */
const bannedWords =
  /\b(told|tells?|telling|words?|besides?|elsewhere|given? out|put away|take in|left behind|as told)\b/;

/** A word of a text, or 32 bits of a digest. */
const realWords =
  /^(wordWrap|wordsOf|wordLengthMax|breaksInWords|isWord|wordPattern|hasWordNear|hasWordOf|keyWords|amountWords|findingWords|digestWords|recordWords|inOneWord|withCfaFrancInOneWord|nameInWords|datesInWords|takeInDoubt)$/;

/** Names that have such a word in its own sense: `word` and `words` are those of texts and of digests. */
const namesLeft = new Set(['word', 'words']);

/** The types of the HTTP client: `npm run client-types` writes them. */
const generated = /console\/api\/schema\.ts$/;

function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !generated.test(path))
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
const subRoomOf = (path: string) => path.split('/').slice(1, -1).join('/') || '.';

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

  test('has commands that open no ledger and check no role: operations do', () => {
    const opening = /^runtime\/session\/(roles|ledger)\.ts$|^ledger\//;
    const wrong = all
      .filter(({ path }) => roomOf(path) === 'cli')
      .filter(
        ({ path, imports: targets, text }) =>
          targets.some((to) => opening.test(to)) ||
          /\bopenSession\b/.test(text) ||
          // A session has the ledger: only `withCalls` may hold one.
          (subRoomOf(path) !== 'session' && /\bsession\b(?!\/)/i.test(text)),
      )
      .map(({ path }) => path);
    assert.deepEqual(wrong, []);
  });

  test('has sub-rooms that are known here', () => {
    const wrong = all
      .filter(({ path }) => path.includes('/') && !subRooms[roomOf(path)]?.includes(subRoomOf(path)))
      .map(({ path }) => path);
    assert.deepEqual(wrong, []);
  });

  test('has sub-rooms that import those below them only', () => {
    const wrong = all.flatMap(({ path, imports: targets }) => {
      const order = subRooms[roomOf(path)] ?? [];
      const rank = order.indexOf(subRoomOf(path));
      return targets
        .filter((target) => subRoomOf(path) !== '.' && roomOf(target) === roomOf(path))
        .filter((target) => order.indexOf(subRoomOf(target)) > rank)
        .map((target) => `${path} imports ${target}`);
    });
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

  test('gives no file of the engine all parts of a runner', () => {
    const whole = all.filter(({ path, text }) => path.startsWith('engine/') && /\bRunnerContext\b/.test(text));
    assert.deepEqual(
      whole.map(({ path }) => path),
      ['engine/account-runner.ts', 'engine/runner/context.ts'],
    );
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
      ({ path, text }) => /process\.env/.test(text) && !['cli', 'library', 'runtime'].includes(roomOf(path)),
    );
    assert.deepEqual(
      wrong.map(({ path }) => path),
      [],
    );
  });

  test('has small folders', () => {
    const counts = new Map<string, number>();
    for (const { path } of all) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const large = [...counts].filter(([, count]) => count > folderFilesMax);
    assert.deepEqual(large, []);
  });

  test('has small files', () => {
    const long = all
      .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
      .filter(({ lines }) => lines > fileLinesMax);
    assert.deepEqual(long, []);
  });

  test('has small functions', () => {
    const long = all.flatMap(({ path, text }) =>
      functionsOf(text)
        .filter(({ lines }) => lines > functionLinesMax)
        .map(({ name, lines }) => `${path} ${name}: ${lines} lines`),
    );
    assert.deepEqual(long, []);
  });

  test('measures a function from its head to its end, be the head of one line or several', () => {
    const text = [
      'export async function* one(',
      '  a: string,',
      '): AsyncGenerator<string> {',
      '  if (a) {',
      '    yield a;',
      '  }',
      '}',
      'const two = (b: number) => {',
      '  return b;',
      '};',
      'class C {',
      '  async three(c: string): Promise<void> {',
      '    await c;',
      '  }',
      '}',
    ].join('\n');
    assert.deepEqual(functionsOf(text), [
      { name: 'one', lines: 7 },
      { name: 'two', lines: 3 },
      { name: 'three', lines: 3 },
    ]);
  });

  test('has comments that end within the width of the code', () => {
    const wide = all.flatMap(({ path, text }) =>
      commentLines(text)
        .filter(({ line }) => line.length > commentColumnsMax)
        .map(({ number }) => `${path}:${number}`),
    );
    assert.deepEqual(wide, []);
  });

  test('has names without riddles', () => {
    const code = all.filter(({ path }) => !path.startsWith('console/texts/'));
    const found = code.flatMap(({ path, text }) =>
      [path, ...new Set(namesIn(text))]
        .filter((name) => bannedWords.test(wordsOf(name)) && !realWords.test(name) && !namesLeft.has(name))
        .map((name) => ({ path, name })),
    );
    assert.deepEqual(found, []);
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

  test('has no file that only tests use', () => {
    const used = new Set(all.flatMap(({ imports }) => imports));
    // Where programs and threads begin, types of the build, and the commands, whose paths are put together.
    const entries = /^(index\.ts|console\/(main\.tsx|styles\.d\.ts)|cli\/[a-z-]+\.ts|.*-worker\.ts)$/;
    const unused = all.map(({ path }) => path).filter((path) => !used.has(path) && !entries.test(path));
    assert.deepEqual(unused, []);
  });

  test('imports no package that package.json does not name: what another one brings along may be gone with its next version', () => {
    const {
      name: own,
      dependencies,
      devDependencies,
      peerDependencies,
    } = JSON.parse(readFileSync(resolve(source, '../package.json'), 'utf8'));
    // The console is built before it is published. What is optional is loaded only when it is configured.
    const namedFor = (path: string) =>
      roomOf(path) === 'console' ? devDependencies : { ...dependencies, ...peerDependencies };
    const packageOf = (module: string) => module.split('/', module.startsWith('@') ? 2 : 1).join('/');
    const wrong = all.flatMap(({ path, text }) =>
      [...text.matchAll(/^(?:import|export) (?:[^']* from )?'([^.'][^']*)'|import\('([^.'][^']*)'\)/gm)]
        .map(([, fixed, asked]) => fixed ?? asked ?? '')
        .filter((module) => !isBuiltin(module) && packageOf(module) !== own && !namedFor(path)[packageOf(module)])
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
