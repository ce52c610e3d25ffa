import { registerHooks } from 'node:module';

/** `import ... from 'airbatch'` in the user's files resolves to this program, wherever it is installed. */
const own = new URL(import.meta.url.endsWith('.ts') ? '../../index.ts' : '../../index.js', import.meta.url).href;

let isRegistered = false;

/**
 * Lets the user's own files (jobs, configuration) import "airbatch", even if it is not among their folder's
 * dependencies.
 */
export function resolveAirbatch(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'airbatch' ? { url: own, shortCircuit: true } : next(specifier, context),
  });
}
