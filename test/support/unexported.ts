import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * A constant that a file of the program keeps to itself. The program carries no seam for it: it is exported as the
 * file is loaded.
 */
export async function unexported<Value>(file: string, name: string): Promise<Value> {
  const path = resolve(import.meta.dirname, '../../src', file);
  const { href } = pathToFileURL(path);
  const hooks = registerHooks({
    load(url, context, nextLoad) {
      if (url !== `${href}?unexported`) return nextLoad(url, context);
      const source = stripTypeScriptTypes(readFileSync(path, 'utf8'));
      return { format: 'module', source: `${source}\nexport { ${name} };`, shortCircuit: true };
    },
  });
  try {
    const module = (await import(`${href}?unexported`)) as Record<string, Value>;
    return module[name] as Value;
  } finally {
    hooks.deregister();
  }
}
