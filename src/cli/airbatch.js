#!/usr/bin/env node
// The first file that Node runs for the command. It is plain JavaScript that every Node version can parse. So an old
// Node prints one line that names the version it needs, and does not fail on syntax that it does not know.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `airbatch needs Node.js 24.15 or later (this is ${process.versions.node}): in a clone, "npm ci" brings it; elsewhere install it from nodejs.org.\n`,
  );
  process.exit(2);
}
// Commands that process whole files restart themselves with tighter limits on garbage. By default V8 keeps up to 128
// MiB of garbage in the young generation. It collects the old generation only when that has grown to four times the
// live data; with a limit below a GiB, to twice. No command keeps a tenth of that limit. With a thousand accounts that pay,
// "serve" would collect a tenth more with a young generation as small as that of the others. V8 takes these sizes on the
// command line only, and not every system passes options from a "#!" line.
const ofWholeFiles = /^(?:run|validate|submit|approve|resume|retry|report|reconcile|verify|audit|jobs|serve)$/;
const roomForGarbage = (isServe) => [`--max-semi-space-size=${isServe ? 32 : 8}`, '--max-old-space-size=1000'];
// On most Linux systems, the C library keeps the memory that a thread has freed in an arena of that thread, unless all
// threads share one arena. It returns free memory at an arena's end from 128 KiB on, and larger blocks at once. But it
// raises both limits, up to 64 MiB, as such blocks are freed, unless the environment sets the limits.
const givingBack = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' };
const { argv, env, execArgv, execPath, platform } = process;
if (
  platform !== 'win32' &&
  argv.some((argument) => ofWholeFiles.test(argument)) &&
  ![env.NODE_OPTIONS, ...execArgv].some((options) => options?.includes('-space-size'))
) {
  const options = [...roomForGarbage(argv.includes('serve')), ...execArgv];
  process.execve(execPath, [execPath, ...options, ...argv.slice(1)], { ...givingBack, ...env });
}
const [{ existsSync, mkdirSync }, { enableCompileCache }, { homedir }, { join }] = await Promise.all([
  import('node:fs'),
  import('node:module'),
  import('node:os'),
  import('node:path'),
]);
// Node keeps the compiled code for the next start; in a clone that halves the start time. The folder belongs to this
// user alone: in Node's default, the temporary folder, another user could have placed other code.
const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = env;
try {
  const cache = NODE_COMPILE_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'airbatch');
  // The mode applies whatever the umask is.
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  enableCompileCache(cache);
} catch {
  // A container may run under a user id that has no home. Then every start compiles the code again.
}
// A clone runs the sources; the published package contains compiled files.
const source = new URL('./main.ts', import.meta.url);
const { main } = await import(
  existsSync(source) ? source.href : new URL('../../dist/cli/main.js', import.meta.url).href
);
process.exitCode = await main(argv);
