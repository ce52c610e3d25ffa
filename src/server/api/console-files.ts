import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { packageFile } from '../../core/basics/package-files.ts';

/** A page of the console loads only files of this server, and connects to no other. */
const contentSecurityPolicy = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"],
  ...["font-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"],
].join('; ');

/** The output of `npm run build:console`. */
export const consoleFolder = (): string => packageFile('dist/console');

/**
 * Serves the console: its page at every address that is no file and does not begin with `/api`, and the files that the
 * page loads. Their names change with their content, so a browser keeps them. Does nothing where no console is built.
 */
export function addConsole(app: FastifyInstance, folder: string): void {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return;
  app.register(fastifyStatic, {
    ...{ root: join(folder, 'assets'), prefix: '/assets/', index: false, cacheControl: false, preCompressed: true },
    setHeaders: (reply) => void reply.header('cache-control', 'public, max-age=31536000, immutable'),
  });
  app.get('/*', async (request, reply) => {
    const [path = ''] = request.url.split('?');
    if (path.startsWith('/api/') || /\.[^/]*$/.test(path)) return reply.callNotFound();
    return reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', contentSecurityPolicy)
      .header('cross-origin-opener-policy', 'same-origin')
      .header('referrer-policy', 'no-referrer')
      .send(await readFile(page));
  });
}
