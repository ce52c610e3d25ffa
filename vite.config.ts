import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

/** The texts of a language are compiled when the console is built, so that no browser has to load the compiler. */
const compiledTexts: Plugin = {
  name: 'compiled-texts',
  async load(id) {
    if (!/\/src\/console\/texts\/(en|fr|sw|pt)(-pages)?\.ts$/.test(id)) return null;
    const { texts } = (await import(pathToFileURL(id).href)) as { texts: Record<string, string> };
    const compiled = Object.entries(texts).map(([name, text]) => [name, compileMessage(text)]);
    return `export const texts = ${JSON.stringify(Object.fromEntries(compiled))};`;
  },
};

/** What a browser loads is compressed once, when the console is built, and not at each request. */
const compressedFiles: Plugin = {
  name: 'compressed-files',
  apply: 'build',
  writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle).filter((file) => /\.(js|css|svg)$/.test(file))) {
      const bytes = readFileSync(join(dir, name));
      writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes));
      writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }));
    }
  },
};

const program = 'http://127.0.0.1:8788';

/**
 * Builds the console into `dist/console`. `npm run dev:console` serves it while it is worked on, and passes what begins
 * with `/api/v1` on to a program that runs on port 8788; the files of `src/console/api` are its own.
 */
export default defineConfig({
  root: 'src/console',
  plugins: [compiledTexts, react(), compressedFiles],
  build: {
    outDir: '../../dist/console',
    emptyOutDir: true,
    target: 'es2022',
    // A page may load nothing but files of its own server.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  // The program takes changes only from pages of its own address.
  server: { host: '127.0.0.1', proxy: { '/api/v1': { target: program, headers: { origin: program } } } },
});
