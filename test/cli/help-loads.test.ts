import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Tells of each package that a program loads, on stderr, when it ends. */
const telling = `
  import { registerHooks } from 'node:module';
  const loaded = new Set();
  registerHooks({ load(url, context, next) { const found = /node_modules\\/([^/]+)/.exec(url); if (found) loaded.add(found[1]); return next(url, context); } });
  process.on('exit', () => process.stderr.write([...loaded].join(' ')));`;

test('the help is shown without modules that only commands need: the command starts fast', async () => {
  const hook = `data:text/javascript,${encodeURIComponent(telling)}`;
  const { stdout, stderr } = await run(process.execPath, ['--import', hook, 'src/cli/airbatch.js', '--help']);
  assert.match(stdout, /Usage: airbatch/);
  assert.deepEqual(stderr.split(' ').sort(), [
    'ansi-regex',
    'commander',
    'emoji-regex',
    'is-fullwidth-code-point',
    'string-width',
    'strip-ansi',
  ]);
});
