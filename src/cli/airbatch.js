#!/usr/bin/env node
// The command's first file. It is plain JavaScript that every Node can parse, so that an old Node is told in one line
// what it lacks instead of failing on syntax that it does not know.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(
    `airbatch needs Node.js 24.15 or later (this is ${process.versions.node}): in a clone, "npm ci" brings it; elsewhere install it from nodejs.org.\n`,
  );
  process.exit(2);
}
// Commands that go through whole files start again, in place, with less room for garbage: V8 would let 128 MiB of it
// lie in the young generation, and collect the old one only when it has grown four times as large as what is alive;
// below a GiB, twice. No command has a tenth of that alive. The sizes can be said on the command line alone, and a
// "#!" line takes no options on every system.
const ofWholeFiles = /^(?:run|validate|submit|approve|resume|retry|report|reconcile|verify|audit|jobs|serve)$/;
const roomForGarbage = ['--max-semi-space-size=8', '--max-old-space-size=1000'];
// The C library of most Linux systems keeps what a thread has freed for that thread, in an arena of its own, unless
// all share one. What is free at its end it gives back from 128 KiB on, and larger blocks at once, but raises both
// limits, to 64 MiB, as such blocks are freed, unless they are named.
const givingBack = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', MALLOC_MMAP_THRESHOLD_: '131072' };
const { argv, env, execArgv, execPath, platform } = process;
if (
  platform !== 'win32' &&
  argv.some((argument) => ofWholeFiles.test(argument)) &&
  ![env.NODE_OPTIONS, ...execArgv].some((options) => options?.includes('-space-size'))
) {
  const options = [...roomForGarbage, ...execArgv];
  process.execve(execPath, [execPath, ...options, ...argv.slice(1)], { ...givingBack, ...env });
}
const [{ existsSync, mkdirSync }, { enableCompileCache }, { homedir }, { join }] = await Promise.all([
  import('node:fs'),
  import('node:module'),
  import('node:os'),
  import('node:path'),
]);
// What is compiled is kept for the next start, which in a clone takes half the time then. In a folder of this person
// alone: in the temporary folder that Node would take, somebody else could have put other code.
const { NODE_COMPILE_CACHE, XDG_CACHE_HOME } = env;
try {
  const cache = NODE_COMPILE_CACHE || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'airbatch');
  // Whatever the umask says.
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  enableCompileCache(cache);
} catch {
  // A container may run under a user id that has no home. Then every start compiles.
}
// In a clone the sources run as they are; the published package carries them compiled.
const source = new URL('./main.ts', import.meta.url);
const { main } = await import(
  existsSync(source) ? source.href : new URL('../../dist/cli/main.js', import.meta.url).href
);
process.exitCode = await main(argv);
