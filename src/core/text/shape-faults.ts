import type { z } from 'zod';
import { similarName } from './similar-name.ts';

/** What is wrong with one field: where it is, and a predicate ("is missing") that follows its name. */
export interface ShapeFault {
  path: PropertyKey[];
  says: string;
}

type Issue = z.core.$ZodIssue;

const kinds: Readonly<Record<string, string>> = {
  string: 'a text in quotation marks',
  number: 'a number without quotation marks',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list, [...]',
  object: 'a group of fields, {...}',
  record: 'a group of fields, {...}',
};

const formats: Readonly<Record<string, string>> = { url: 'must be a URL', email: 'must be an e-mail address' };

/**
 * What is wrong with `given`, in sentences for people instead of zod's. A missing field and the misspelt one in its
 * place are one fault. No value is repeated: it may be a secret in the wrong place. Empty if nothing is wrong.
 */
export function shapeFaults(shape: z.ZodType, given: unknown): ShapeFault[] {
  const issues = shape.safeParse(given).error?.issues ?? [];
  /** Unknown keys, by their place. */
  const unknown = new Map<string, string[]>();
  for (const issue of issues) if (issue.code === 'unrecognized_keys') unknown.set(placeOf(issue.path), [...issue.keys]);
  const faults: ShapeFault[] = [];
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys' || !isMissing(issue, given)) continue;
    const name = String(issue.path.at(-1));
    const written = unknown.get(placeOf(issue.path.slice(0, -1))) ?? [];
    const instead = similarName(name, written);
    if (instead !== null) written.splice(written.indexOf(instead), 1);
    faults.push({ path: [...issue.path], says: instead === null ? 'is missing' : `is missing (you wrote ${instead})` });
  }
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      const known = keysOf(shapeAt(shape, issue.path, given));
      for (const key of unknown.get(placeOf(issue.path)) ?? []) {
        const meant = meantKeys(key, known);
        faults.push({
          path: [...issue.path, key],
          says: `is not known${meant.length === 0 ? '' : ` (did you mean ${meant.join(' or ')}?)`}`,
        });
      }
    } else if (!isMissing(issue, given)) faults.push({ path: [...issue.path], says: faultText(issue, shape, given) });
  }
  return faults;
}

/**
 * The faults as texts: "schedule.timeZone is missing". `whole` names the value itself, for a fault that is not of one
 * field.
 */
export function faultTexts(faults: readonly ShapeFault[], whole: string, within: readonly string[] = []): string[] {
  // A text that is not a predicate begins with its own name: '"KSH" is not a currency code'.
  return faults.map(
    ({ path, says }) => `${[...within, ...path].join('.') || whole}${/^[a-z]/.test(says) ? ' ' : ': '}${says}`,
  );
}

/** The known keys that an unknown one may stand for: a similar one, or those that it begins, such as `apiKeyEnv`. */
function meantKeys(key: string, known: readonly string[]): string[] {
  const similar = similarName(key, known);
  return similar === null ? known.filter((name) => key.length >= 3 && name.startsWith(key)) : [similar];
}

const placeOf = (path: readonly PropertyKey[]) => JSON.stringify(path.map(String));

function valueAt(given: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined,
    given,
  );
}

function isMissing(issue: Issue, given: unknown): boolean {
  const isOfValue = issue.code === 'invalid_type' || issue.code === 'invalid_value' || issue.code === 'invalid_union';
  return isOfValue && issue.path.length > 0 && valueAt(given, issue.path) === undefined;
}

function faultText(issue: Issue, shape: z.ZodType, given: unknown): string {
  // Our own messages are predicates already; zod's begin with one of these words.
  if (!/^(?:Invalid|Too (?:small|big)|Unrecognized)/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return choiceText(issue.values.map(String), valueAt(given, issue.path));
    case 'invalid_union':
      return choiceText(choicesOf(shape, issue.path, given), valueAt(given, issue.path));
    case 'invalid_key':
      return issue.issues[0]?.message ?? 'has a name that is not possible';
    case 'too_small':
      return limitText(issue.origin, Number(issue.minimum), issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return limitText(issue.origin, Number(issue.maximum), issue.inclusive === false ? 'less than' : 'at most');
    case 'invalid_format':
      return formats[issue.format] ?? 'does not have the right form';
    default:
      return 'does not have the right form';
  }
}

function choiceText(choices: readonly string[], given: unknown): string {
  const meant = typeof given === 'string' ? similarName(given, choices) : null;
  const hint = meant === null ? '' : ` (did you mean "${meant}"?)`;
  return choices.length === 0
    ? 'does not have the right form'
    : `must be ${choices.map((choice) => `"${choice}"`).join(', ')}${hint}`.replace(/, ("[^"]*")(?= \(|$)/, ' or $1');
}

function limitText(origin: string, limit: number, bound: string): string {
  if (origin === 'string') return limit === 1 ? 'must not be empty' : `must have ${bound} ${limit} characters`;
  if (origin === 'array') return `must have ${bound} ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
  return `must be ${bound} ${limit}`;
}

interface Definition {
  type: string;
  innerType?: z.ZodType;
  in?: z.ZodType;
  shape?: Readonly<Record<string, z.ZodType>>;
  element?: z.ZodType;
  valueType?: z.ZodType;
  options?: readonly z.ZodType[];
  discriminator?: string;
  values?: readonly unknown[];
}

const definitionOf = (shape: z.ZodType) => shape.def as unknown as Definition;

/** The shape without wrappers such as optional and default. */
function bare(shape: z.ZodType): Definition {
  const definition = definitionOf(shape);
  const inner = definition.innerType ?? definition.in;
  return inner === undefined ? definition : bare(inner);
}

/** The alternative of a discriminated union that fits this value. */
function chosen(definition: Definition, value: unknown): Definition {
  const { options, discriminator } = definition;
  if (options === undefined || discriminator === undefined) return definition;
  const kind = valueAt(value, [discriminator]);
  const option = options
    .map(bare)
    .find(({ shape }) => shape?.[discriminator] && bare(shape[discriminator]).values?.includes(kind));
  return option ?? definition;
}

function shapeAt(shape: z.ZodType, path: readonly PropertyKey[], given: unknown): Definition | null {
  let definition = chosen(bare(shape), given);
  for (const [index, key] of path.entries()) {
    const next = definition.shape?.[String(key)] ?? definition.element ?? definition.valueType;
    if (next === undefined) return null;
    definition = chosen(bare(next), valueAt(given, path.slice(0, index + 1)));
  }
  return definition;
}

function keysOf(definition: Definition | null): string[] {
  return Object.keys(definition?.shape ?? {});
}

/** The allowed values of the field that discriminates a union. */
function choicesOf(shape: z.ZodType, path: readonly PropertyKey[], given: unknown): string[] {
  const { options = [], discriminator = '' } = shapeAt(shape, path.slice(0, -1), given) ?? {};
  return options.map(bare).flatMap((option) => {
    const field = option.shape?.[discriminator];
    return field === undefined ? [] : (bare(field).values ?? []).map(String);
  });
}
