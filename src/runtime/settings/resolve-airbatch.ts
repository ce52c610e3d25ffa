import { registerHooks } from 'node:module';
import { programModule } from '../../core/basics/package-files.ts';

/** `import ... from 'airbatch'` in the user's files resolves to this program, wherever it is installed. */
const own = programModule('index.ts').href;

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
