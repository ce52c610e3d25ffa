import { registerHooks } from 'node:module';

/** Where `import ... from 'airbatch'` leads in files of the user: to this very program, wherever it is installed. */
const own = new URL(import.meta.url.endsWith('.ts') ? '../../index.ts' : '../../index.js', import.meta.url).href;

let isRegistered = false;

/**
 * Lets a user's own files (jobs, configuration) import "airbatch", also where it is not among their folder's
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
