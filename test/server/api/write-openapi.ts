import { writeFileSync } from 'node:fs';
import { openApiDocument } from '../../../src/server/api/openapi.ts';

/** Part of `npm run openapi`: writes the document of the HTTP API to `docs/api-openapi.json`. */
const path = new URL('../../../docs/api-openapi.json', import.meta.url);
writeFileSync(path, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
