import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import * as library from '../src/index.ts';
import { folderOf } from './support/folder.ts';

const root = resolve(import.meta.dirname, '..');
/** The sources have more than 900. */
const codeFilesMax = 300;

describe('the published package', () => {
  const folder = folderOf({ after });
  const app = join(folder, 'app');
  const installed = join(app, 'node_modules/airbatch');
  const airbatch = join(app, 'node_modules/.bin/airbatch');
  let files: string[] = [];

  before(() => {
    const npm = (args: string[], cwd: string) =>
      execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    const [packed] = JSON.parse(npm(['pack', '--json', '--silent', '--pack-destination', folder], root)) as {
      filename: string;
      files: { path: string }[];
    }[];
    files = (packed?.files ?? []).map(({ path }) => path);
    mkdirSync(app);
    write('package.json', '{"name":"app","private":true,"type":"module"}');
    const tarball = join(folder, packed?.filename ?? '');
    npm(['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', tarball], app);
  });

  const write = (file: string, content: string) => writeFileSync(join(app, file), content);
  const run = (...args: string[]) => spawnSync(process.execPath, args, { cwd: app, encoding: 'utf8' });
  const done = (...args: string[]) => {
    const { status, stdout, stderr } = run(...args);
    assert.equal(status, 0, stderr);
    return stdout;
  };

  test('has the built program and console with their docs, and neither tests, sources nor secrets', () => {
    assertContent(files);
  });

  test('has few files of code', () => {
    const code = files.filter((file) => /^dist\/(?!console\/).*\.js$/.test(file));
    assert.ok(code.length < codeFilesMax, `${code.length} files`);
  });

  test('pays a sample with the embedded sandbox, as the clone does, and its report verifies', () => {
    assert.match(done(airbatch, '--version'), /^airbatch \d+\.\d+\.\d+/);
    const networks = JSON.parse(done(airbatch, 'networks', 'KE', '--json')) as { networks: { countryCode: string }[] };
    assert.ok(networks.networks.length > 0);
    const paid = run(airbatch, 'run', join(installed, 'samples/payroll.csv'), '--yes');
    assert.equal(paid.status, 4, paid.stderr);
    const [batch = ''] = globSync('reports/*', { cwd: app });
    done(airbatch, 'verify', batch);
    // Its format is described by a page of the package.
    done(airbatch, 'audit-pack', basename(batch), '--out', 'pack.zip');
    assert.match(readFileSync(join(app, 'pack.zip'), 'latin1'), /report-format\.md/);
  });

  test('checks a large file in a thread', () => {
    const lines = Array.from({ length: 40_000 }, (_, row) => `+25471${String(row).padStart(5, '0')}55,1,10,KES`);
    write('large.csv', ['phone_number,network_id,amount,currency', ...lines, ''].join('\n'));
    assert.match(done(airbatch, 'validate', 'large.csv', '--json'), /40000/);
  });

  test('has the threads, which nothing imports, and that of checkpoints alone in its file, for its memory', () => {
    const threads = globSync('**/*-worker.{ts,js}', { cwd: join(root, 'src') });
    assert.ok(threads.length >= 2);
    for (const file of threads) assert.ok(files.includes(`dist/${file.replace(/\.ts$/, '.js')}`), file);
    const thread = readFileSync(join(installed, 'dist/ledger/drivers/sqlite/checkpoint-worker.js'), 'utf8');
    assert.doesNotMatch(thread, /from ["']\./);
  });

  test('serves the console', async (t) => {
    const child = spawn(process.execPath, [airbatch, '--json', 'console', '--sandbox', '--port', '0'], { cwd: app });
    t.after(() => child.kill('SIGKILL'));
    const [said] = (await once(child.stdout, 'data')) as [Buffer];
    const page = await fetch((JSON.parse(said.toString()) as { url: string }).url);
    assert.equal(page.status, 200);
    const [script = ''] = /\/assets\/[^"]+\.js/.exec(await page.text()) ?? [];
    assert.equal((await fetch(new URL(script, page.url))).status, 200);
  });

  test("shares one copy of each module with the user's own files", () => {
    write('known.js', throwing("new AirbatchError('CONFIG_INVALID', 'of this file')"));
    assert.match(run(airbatch, 'status', '--config', 'known.js').stderr, /^Error: of this file \[CONFIG_INVALID\]/);
  });

  test('names the lines of its sources when it fails', () => {
    write('unknown.js', throwing("new TypeError('of this file')"));
    const { stderr } = run(airbatch, 'status', '--config', 'unknown.js');
    const [, line = ''] = /at loadConfig.*\/airbatch\/src\/runtime\/settings\/config\.ts:(\d+):/.exec(stderr) ?? [];
    const source = readFileSync(join(root, 'src/runtime/settings/config.ts'), 'utf8').split('\n');
    assert.match(source[Number(line) - 1] ?? '', /safeParse/, stderr);
  });

  test('can be imported, with its types', () => {
    write(
      'use.js',
      `import * as own from 'airbatch';
       await using airbatch = await own.openAirbatch();
       const refused = await airbatch.pauseBatch({ batchId: 'B-none' }).catch((error) => error instanceof own.AirbatchError);
       console.log(JSON.stringify([refused, Object.keys(own).sort()]));`,
    );
    assert.deepEqual(JSON.parse(done('use.js')), [true, Object.keys(library).sort()]);
    assert.equal(typesFound(app), '');
  });
});

/** A configuration that throws when it is looked at. */
const throwing = (error: string) =>
  `import { AirbatchError } from 'airbatch';\nexport default { get accounts() { throw ${error}; } };\n`;

/** The package has the built program and console with their docs, and neither tests, sources nor secrets. */
function assertContent(files: readonly string[]): void {
  const needed = ['dist/index.js', 'dist/index.d.ts', 'dist/console/index.html', 'src/cli/airbatch.js'];
  const documents = ['docs/deployment.md', 'docs/runbooks/machine-died.md', 'LICENSE', 'CHANGELOG.md'];
  for (const file of [...needed, ...documents, 'deploy/Dockerfile', 'samples/payroll.csv'])
    assert.ok(files.includes(file), `${file} is not in the package`);
  assert.ok(files.some((file) => /^dist\/console\/assets\/.*\.js$/.test(file)));
  const wrong = files.filter(
    (file) =>
      !/^(dist|docs|samples|jobs|deploy)\//.test(file) &&
      !['src/cli/airbatch.js', 'package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'].includes(file),
  );
  const sources = files.filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !file.startsWith('jobs/'));
  const tests = files.filter((file) =>
    /(^|\/)(test|bench|tools|node_modules)\/|\.test\.|(?<!^dist\/.*\.js)\.map$|\.env|\.key$|\.pem$/.test(file),
  );
  assert.deepEqual({ wrong, sources, tests }, { wrong: [], sources: [], tests: [] });
}

/**
 * What a strict compiler finds in a program that exports what every function of the package returns (each type is one
 * that it can name), and in the programs of docs/library.md.
 */
function typesFound(app: string): string {
  const functions = Object.entries(library).filter(
    ([name, value]) => typeof value === 'function' && name !== 'AirbatchError',
  );
  assert.ok(functions.length > 3);
  const lines = [
    `import * as airbatch from 'airbatch';`,
    ...functions.map(
      ([name]) =>
        `export const of${name} = (...given: Parameters<typeof airbatch.${name}>) => airbatch.${name}(...given);`,
    ),
    ...['Airbatch', 'OperationEvent'].map(
      (name) => `export const of${name} = (given: airbatch.${name}) => ({ ...given });`,
    ),
  ];
  writeFileSync(join(app, 'use.ts'), lines.join('\n'));
  const page = readFileSync(join(root, 'docs/library.md'), 'utf8');
  for (const [index, [, program = '']] of [...page.matchAll(/```ts\n([\s\S]*?)```/g)].entries())
    writeFileSync(join(app, `program-${index}.ts`), program);
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2024', lib: ['es2024'], strict: true, exactOptionalPropertyTypes: true },
    ...{ declaration: true, outDir: 'out', types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = join(root, 'node_modules/.bin/tsc');
  return spawnSync(process.execPath, [tsc, '-p', app], { encoding: 'utf8' }).stdout;
}
