import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import * as airbatch from '../src/index.ts';
import { folderOf } from './support/folder.ts';

const root = resolve(import.meta.dirname, '..');

test('the packed tarball installs in an empty folder, runs, and can be imported', (t) => {
  const folder = folderOf(t);
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const [packed] = JSON.parse(npm(['pack', '--json', '--silent', '--pack-destination', folder], root)) as {
    filename: string;
    files: { path: string }[];
  }[];
  assertContent((packed?.files ?? []).map(({ path }) => path));
  const app = join(folder, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'package.json'), '{"name":"app","private":true,"type":"module"}');
  npm(
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent', join(folder, packed?.filename ?? '')],
    app,
  );
  // Nothing imports the files that threads begin with.
  const threads = globSync('**/*-worker.{ts,js}', { cwd: join(root, 'src') });
  assert.ok(threads.length >= 2);
  for (const file of threads) {
    const compiled = join(app, 'node_modules/airbatch/dist', file.replace(/\.ts$/, '.js'));
    assert.ok(existsSync(compiled), `${compiled} is not in the package`);
  }
  const airbatch = join(app, 'node_modules/.bin/airbatch');
  const run = (file: string, args: string[]) =>
    execFileSync(process.execPath, [file, ...args], {
      cwd: app,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  assert.match(run(airbatch, ['--version']), /^airbatch \d+\.\d+\.\d+/);
  const networks = JSON.parse(run(airbatch, ['networks', 'KE', '--json'])) as { networks: { countryCode: string }[] };
  assert.ok(networks.networks.length > 0);
  // It pays a sample with the embedded sandbox, as the clone does, and its report verifies.
  const samples = join(app, 'node_modules/airbatch/samples');
  const paid = spawnSync(process.execPath, [airbatch, 'run', join(samples, 'payroll.csv'), '--yes'], {
    cwd: app,
    encoding: 'utf8',
  });
  assert.equal(paid.status, 4, paid.stderr);
  const [batch = ''] = globSync('reports/*', { cwd: app });
  run(airbatch, ['verify', batch]);
  for (const file of ['console/index.html', '../deploy/Dockerfile', '../docs/deployment.md'])
    assert.ok(existsSync(join(app, 'node_modules/airbatch/dist', file)), file);
  writeFileSync(
    join(app, 'use.js'),
    "import { AirbatchError, openAirbatch } from 'airbatch';\nawait using airbatch = await openAirbatch();\nconsole.log(typeof AirbatchError, typeof airbatch.runFile);\n",
  );
  assert.equal(run(join(app, 'use.js'), []).trim(), 'function function');
  assert.equal(typesFound(app), '');
});

/** The package has the built program and console with their docs, and neither tests, sources nor secrets. */
function assertContent(files: readonly string[]): void {
  const needed = ['dist/index.js', 'dist/index.d.ts', 'dist/console/index.html', 'src/cli/airbatch.js'];
  for (const file of [...needed, 'docs/runbooks/machine-died.md', 'samples/payroll.csv', 'LICENSE', 'CHANGELOG.md'])
    assert.ok(files.includes(file), `${file} is not in the package`);
  assert.ok(files.some((file) => /^dist\/console\/assets\/.*\.js$/.test(file)));
  const wrong = files.filter(
    (file) =>
      !/^(dist|docs|samples|jobs|deploy)\//.test(file) &&
      !['src/cli/airbatch.js', 'package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'].includes(file),
  );
  const sources = files.filter((file) => /(?<!\.d)\.tsx?$/.test(file) && !file.startsWith('jobs/'));
  const tests = files.filter((file) =>
    /(^|\/)(test|bench|tools|node_modules)\/|\.test\.|\.map$|\.env|\.key$|\.pem$/.test(file),
  );
  assert.deepEqual({ wrong, sources, tests }, { wrong: [], sources: [], tests: [] });
}

/**
 * What a strict compiler finds in a program that exports what every function of the package returns (each type is one
 * that it can name), and in the programs of docs/library.md.
 */
function typesFound(app: string): string {
  const functions = Object.entries(airbatch).filter(
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
