import type { SeededRandom } from '../../simulation/seeded-random.ts';
import { hostileTexts } from '../../support/hostile-texts.ts';

/** A JSON schema of the OpenAPI document, as far as values are made from it. */
export interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

const names = [
  ...['batch-1', 'B-default', 'B-other', 'D-other', 'default', 'other', 'amina', 'payroll', 'audit-person'],
  ...['../../etc/passwd', '__proto__', 'constructor', 'access', '*'],
];
const anything: readonly unknown[] = [
  ...[null, true, false, 0, -1, -0, 1, 1.5, 2 ** 31, 2 ** 53, 2 ** 63, 1e308, -1e308, '', ' ', 'x', '0', '-1', '1e3'],
  ...['9'.repeat(400), 'KES', '2026-01-01T00:00:00Z', '+275760-09-13T00:00:00Z', '0000-01-01', 'https://10.0.0.1/x'],
  ...[[], {}, [[]], { a: { b: [1] } }, { toString: 'x' }, 'x'.repeat(10_000), Array(300).fill('x'), ...names],
  ...['\ud800', '\u0000', '%00', '%', '\\u0000', "' OR 1=1 --", '$\u007b7*7}', '{{7*7}}', '\r\nset-cookie: a=b'],
  ...hostileTexts.map(({ text }) => text),
];

/** A value that the schema takes, or, now and then, one that it does not. */
export function valueFor(schema: Schema, random: SeededRandom): unknown {
  if (random.percent(25)) return random.pick(anything);
  if (schema.enum) return random.pick(schema.enum);
  if (schema.anyOf) return valueFor(random.pick(schema.anyOf), random);
  const type = Array.isArray(schema.type) ? random.pick(schema.type) : schema.type;
  if (type === 'object') {
    const entries = Object.entries(schema.properties ?? {}).filter(() => random.percent(80));
    return Object.fromEntries(entries.map(([name, of]) => [name, valueFor(of, random)]));
  }
  if (type === 'array') return Array.from({ length: random.between(0, 2) }, () => valueFor(schema.items ?? {}, random));
  if (type === 'integer' || type === 'number') return random.between(0, 4);
  if (type === 'boolean') return random.percent(50);
  return random.pick(names);
}

/** A value as a part of a path or a query has it: encoded once, twice, or not as it should be. */
export function encoded(value: unknown, random: SeededRandom): string {
  const text = typeof value === 'string' ? value.toWellFormed() : JSON.stringify(value);
  if (random.percent(3)) return random.pick(['%', '%ff', '%c0%af', '%2e%2e%2f', '%00', '%ed%a0%80']);
  return random.percent(3) ? encodeURIComponent(encodeURIComponent(text)) : encodeURIComponent(text);
}

/** What stands around an address: nothing in most cases. */
export function bentUrl(url: string, random: SeededRandom): string {
  if (!random.percent(5)) return url;
  return random.pick([
    () => `${url}/`,
    () => url.replace('/api/', '/api//'),
    () => url.replace('/api/', '/api/../api/'),
    () => url.toUpperCase(),
    () => `${url}${'?x=1'.repeat(50)}`,
    () => `${url}&__proto__[x]=1&a[]=1&after=%00`,
    () => url.replace('/v1/', '/v1/%2e%2e/v1/'),
    () => `${url}#x`,
  ])();
}

/** The body of a JSON request: the value, or bytes that are not it. */
export function bodyOf(value: unknown, random: SeededRandom): string | Buffer {
  const text = JSON.stringify(value);
  if (!random.percent(12)) return text;
  return random.pick<() => string | Buffer>([
    () => text.slice(0, Math.max(1, text.length - 2)),
    () => `\ufeff${text}`,
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0xfe, 0x00])]),
    () => '['.repeat(50_000),
    () => `{"a":${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}}`,
    () => text.replace('{', '{"__proto__":{"x":1},'),
    () => text.replace('{', '{"constructor":{"prototype":{"x":1}},'),
    () => text.replace('{', '{"name":"a","name":"b",'),
    () => '1'.repeat(100_000),
    () => '',
    () => 'null',
    () => '"text"',
    () => '[]',
  ])();
}

/** A file as an upload brings it. */
export function fileOf(random: SeededRandom): Buffer {
  const rows = 'phone,amount,currency\n+254712345678,10,KES\n';
  return random.pick([
    () => Buffer.from(rows),
    () => Buffer.from(rows, 'utf16le'),
    () => Buffer.from(`\ufeff${rows}"open quote\n`),
    () => Buffer.from(`__proto__,constructor,phone\n${JSON.stringify(random.pick(anything))},x,y\n`),
    () => Buffer.from('PK\u0003\u0004 no workbook'),
    () => Buffer.from(random.hex(200), 'hex'),
    () => Buffer.alloc(0),
    () => Buffer.from(`${'a,'.repeat(5_000)}\n`),
  ])();
}

/** Headers that may or may not make sense, a few in most requests. */
export function oddHeaders(random: SeededRandom): Record<string, string> {
  const odd: Record<string, () => string> = {
    'if-match': () => random.pick(['*', '"0"', '"1"', 'W/"1"', '', '"', '"1","2"', 'x'.repeat(2_000)]),
    'if-none-match': () => random.pick(['*', '"1"']),
    'last-event-id': () => random.pick(['latest', '-1', '9'.repeat(30), 'x']),
    range: () => 'bytes=0-1,-5',
    accept: () => random.pick(['*/*', 'text/html', 'application/xml', '']),
    'accept-language': () => random.pick(['fr', 'x'.repeat(300), '*;q=9']),
    'accept-encoding': () => random.pick(['gzip, br', 'identity;q=0']),
    'content-encoding': () => random.pick(['gzip', 'br', 'x']),
    'x-forwarded-for': () => random.pick(['127.0.0.1', '::1', 'x', '1.2.3.4, 5.6.7.8']),
    'x-forwarded-proto': () => random.pick(['https', 'javascript']),
    'x-forwarded-host': () => 'evil.example',
    'x-http-method-override': () => 'DELETE',
    'content-disposition': () =>
      random.pick(['attachment', 'attachment; filename="../../x.csv"', "attachment; filename*=UTF-8''%ff", 'x']),
    host: () => random.pick(['evil.example', 'localhost:99999', '[::1]']),
    expect: () => '200-maybe',
    te: () => 'trailers',
  };
  const chosen = Object.entries(odd).filter(() => random.percent(4));
  return Object.fromEntries(chosen.map(([name, value]) => [name, value()]));
}
