import { createHash } from 'node:crypto';
import type { TestContext } from 'node:test';
import { checkFile } from '../../src/intake/check/check-file.ts';
import { makeTally } from '../../src/intake/check/findings.ts';
import type { Findings } from '../../src/intake/check/findings-shape.ts';
import { intakeSettings } from '../../src/intake/columns/settings.ts';
import { headBytesMax, type Source } from '../../src/intake/file/source.ts';
import type { FileRow } from '../../src/intake/rows/file-rows.ts';
import type { Catalog } from '../../src/intake/rows/network-catalog.ts';

/** A source whose bytes come in chunks of this size. */
function memorySource(content: string | Buffer, chunkBytes = 128 * 1024): Source {
  const bytes = Buffer.from(content as string);
  return {
    name: 'test.csv',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    head: bytes.subarray(0, headBytesMax),
    place: null,
    fromSheet: null,
    async *chunks() {
      for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
    },
    dispose: () => undefined,
  };
}

export interface CheckedContent {
  findings: Findings;
  rows: FileRow[];
  header: readonly string[];
}

/** Checks a file given by its content, and returns every row of it. */
export async function check(
  content: string | Buffer,
  options: {
    settings?: Record<string, unknown>;
    catalog?: Catalog;
    chunkBytes?: number;
    signal?: AbortSignal;
    onProgress?: (progress: { bytes: number; bytesTotal: number; rows: number }) => void;
  } = {},
): Promise<CheckedContent> {
  const file = await checkFile({
    source: memorySource(content, options.chunkBytes),
    settings: intakeSettings(options.settings),
    catalog: options.catalog ?? null,
    needsNames: false,
    onProgress: options.onProgress,
    signal: options.signal,
  });
  try {
    const tally = makeTally();
    const rows: FileRow[] = [];
    for await (const chunk of file.rows(100)) {
      for (const row of chunk) tally.add(row);
      rows.push(...chunk);
    }
    return { findings: { ...file.about, ...tally.result() }, rows, header: file.header };
  } finally {
    await file.dispose();
  }
}

/** A file of rows with these cells; columns that no row names are left out. */
export function csv(rows: readonly Record<string, string>[]): string {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (text: string) => (/[",;\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const lines = rows.map((row) => columns.map((column) => cell(row[column] ?? '')).join(','));
  return `${[columns.join(','), ...lines].join('\n')}\n`;
}

/** A row that is in order; `fields` replace its cells. */
export function goodRow(fields: Record<string, string> = {}): Record<string, string> {
  return { phone_number: '+254712345678', network_id: '1', amount: '100', currency: 'KES', ...fields };
}

/** Row number `index` of many: each with a number and a reference of its own. */
export function rowOfMany(index: number): Record<string, string> {
  return goodRow({ phone_number: `+254712${String(index).padStart(6, '0')}`, reference: `R-${index}` });
}

export const problemCodes = (row: FileRow | undefined): string[] => row?.problems.map(({ code }) => code) ?? [];

/** A catalog of two countries, as the service has it. */
export const testCatalog: Catalog = {
  async networks(country) {
    if (country === 'KE') {
      return [
        { networkId: 1, name: 'Safaricom Kenya', countryCode: 'KE', currency: 'KES' },
        { networkId: 2, name: 'Airtel Kenya', countryCode: 'KE', currency: 'KES' },
      ];
    }
    if (country !== 'UG') return [];
    return [
      { networkId: 4, name: 'MTN Uganda', countryCode: 'UG', currency: 'UGX' },
      { networkId: 5, name: 'Airtel Uganda', countryCode: 'UG', currency: 'UGX' },
    ];
  },
  products: async (networkId) => (networkId === 1 ? [{ productId: '102', name: '1 GB' }] : []),
};

/** Makes a folder the one for temporary files until the test has ended. */
export function useTemporary(t: TestContext, folder: string): void {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  t.after(() => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });
}
