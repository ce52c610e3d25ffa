import async_hooks from 'node:async_hooks';

/**
 * Loaded before each test file by `npm test`. The test runner installs an async hook, which notes each promise and its
 * test, so that it can name the test of an error that nobody caught. The hook doubles the CPU time of tests that make
 * many promises. Without it, such an error fails the file that it came from, and no test by name.
 */
const noHook = { enable: () => noHook, disable: () => noHook };
async_hooks.createHook = () => noHook;
