import { writeFileSync } from 'node:fs';
import { makeSandbox } from '../../src/sandbox/index.ts';
import { makeManualClock } from '../../src/sandbox/parts/clock.ts';

/** `npm run openapi`: writes the document that the sandbox serves to `docs/openapi.json`. */
const sandbox = await makeSandbox({ clock: makeManualClock() });
const url = await sandbox.listen({ port: 0 });
const document = await (await fetch(`${url}/openapi.json`)).json();
writeFileSync(new URL('../../docs/openapi.json', import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
await sandbox.close();
