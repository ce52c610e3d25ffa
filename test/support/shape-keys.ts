import type { z } from 'zod';

/** A key of a shape: where it stands, and its default, where it has one of its own. */
export interface ShapeKey {
  path: string;
  default?: unknown;
}

/** What of zod's definitions is looked at. */
interface Definition {
  type: string;
  innerType?: z.ZodType;
  element?: z.ZodType;
  keyType?: z.ZodType;
  valueType?: z.ZodType;
  options?: readonly z.ZodType[];
  shape?: Record<string, z.ZodType>;
  defaultValue?: unknown;
}

/** What the keys of a record of objects are called in the documents. */
const recordNames: Record<string, string> = { accounts: '<name>', 'accounts.<name>.limits': '<class>' };

const definitionOf = (shape: z.ZodType) => (shape as unknown as { def: Definition }).def;

/**
 * Every key of a shape that holds no further keys, in its order. `others` are shapes that stand for keys which are
 * checked elsewhere.
 */
export function shapeKeys(shape: z.ZodType, path = '', others: Readonly<Record<string, z.ZodType>> = {}): ShapeKey[] {
  const given = definitionOf(shape);
  const hasDefault = given.type === 'default';
  const defaultOf = hasDefault ? { default: given.defaultValue } : {};
  const inner = unwrapped(others[path] ?? shape);
  const { type, shape: members, element, valueType, options } = definitionOf(inner);
  if (type === 'object')
    return Object.entries(members ?? {}).flatMap(([key, value]) =>
      shapeKeys(value, path ? `${path}.${key}` : key, others),
    );
  if (type === 'union') return merged((options ?? []).flatMap((option) => shapeKeys(option, path, others)));
  if (type === 'array' && element && holdsKeys(element)) return shapeKeys(element, `${path}[]`, others);
  if (type === 'record' && valueType && recordNames[path])
    return shapeKeys(valueType, `${path}.${recordNames[path]}`, others);
  return [{ path, ...defaultOf }];
}

/** The shape within its default, and within what says that it may be missing. */
function unwrapped(shape: z.ZodType): z.ZodType {
  const { type, innerType } = definitionOf(shape);
  return ['default', 'prefault', 'optional', 'nullable'].includes(type) && innerType ? unwrapped(innerType) : shape;
}

function holdsKeys(shape: z.ZodType): boolean {
  return ['object', 'union'].includes(definitionOf(unwrapped(shape)).type);
}

/** Keys that several kinds of one thing have are told once. */
function merged(keys: readonly ShapeKey[]): ShapeKey[] {
  return [...new Map(keys.map((key) => [key.path, key])).values()];
}

/**
 * The keys that the tables of a document have (key, what it is, default): a heading that ends in code says where the
 * keys of its tables stand; those of `root` stand at the top.
 */
export function documentedKeys(text: string, root: string): ShapeKey[] {
  let within: string | null = null;
  return text.split('\n').flatMap((line) => {
    const [, heading] = /^##+ (.*)/.exec(line) ?? [];
    if (heading !== undefined) {
      const [, code] = /`([^`]*)`$/.exec(heading) ?? [];
      within = heading === root ? '' : code === undefined ? null : `${code}.`;
    }
    const [, key, given] = /^\| `([^`]+)` \| [^|]+ \| ?(?:`([^`]*)`)? ?\|$/.exec(line) ?? [];
    if (within === null || key === undefined) return [];
    return [{ path: `${within}${key}`, ...(given === undefined ? {} : { default: JSON.parse(given) as unknown }) }];
  });
}

export function byPath(keys: readonly ShapeKey[]): ShapeKey[] {
  return [...keys].sort((a, b) => (a.path < b.path ? -1 : 1));
}
