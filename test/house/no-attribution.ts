import async_hooks, { AsyncResource } from 'node:async_hooks';

/**
 * Loaded before each test file by `npm test`. The test runner installs an async hook, which notes each promise and its
 * test, so that it can name the test of an error that nobody caught. The hook doubles the CPU time of tests that make
 * many promises. Without it, such an error fails the file that it came from, and no test by name. Only tests themselves
 * are noted, as they begin: the runner finds the `describe` of a test by that, and so its hooks and its concurrency.
 */
type Init = (asyncId: number, type: string, triggerAsyncId: number, resource: object) => void;
const ofRunner: Init[] = [];
const noHook = { enable: () => noHook, disable: () => noHook };
async_hooks.createHook = ({ init }) => {
  if (init) ofRunner.push(init);
  return noHook;
};
const { runInAsyncScope } = AsyncResource.prototype;
AsyncResource.prototype.runInAsyncScope = function (this: AsyncResource, ...call) {
  const { name } = this.constructor;
  if (name === 'Test' || name === 'Suite')
    for (const init of ofRunner) init(this.asyncId(), name, this.triggerAsyncId(), this);
  return Reflect.apply(runInAsyncScope, this, call);
} as typeof runInAsyncScope;
