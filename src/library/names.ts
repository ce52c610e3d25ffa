import type { z } from 'zod';

type CamelCase<Name> = Name extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;

/**
 * What a schema gives, with the names of its fields in camelCase. The keys of a record are data (a currency, a state),
 * and stay as they are.
 */
export type CamelOutput<Schema> =
  Schema extends z.ZodObject<infer Shape>
    ? {
        [Name in keyof z.output<Schema> as CamelCase<Name>]: Name extends keyof Shape
          ? CamelOutput<Shape[Name]>
          : never;
      }
    : Schema extends z.ZodArray<infer Element>
      ? CamelOutput<Element>[]
      : Schema extends z.ZodNullable<infer Inner>
        ? CamelOutput<Inner> | null
        : Schema extends z.ZodOptional<infer Inner>
          ? CamelOutput<Inner> | undefined
          : Schema extends z.ZodRecord<infer _Key, infer Value>
            ? { [Key in keyof z.output<Schema>]: CamelOutput<Value> }
            : Schema extends z.ZodUnion<infer Options>
              ? CamelOutput<Options[number]>
              : z.output<Schema>;

/** The same for what a schema takes. */
export type CamelInput<Schema> =
  Schema extends z.ZodObject<infer Shape>
    ? { [Name in keyof z.input<Schema> as CamelCase<Name>]: Name extends keyof Shape ? CamelInput<Shape[Name]> : never }
    : Schema extends z.ZodArray<infer Element>
      ? CamelInput<Element>[]
      : Schema extends z.ZodNullable<infer Inner>
        ? CamelInput<Inner> | null
        : Schema extends z.ZodOptional<infer Inner> | z.ZodDefault<infer Inner>
          ? CamelInput<Inner> | undefined
          : Schema extends z.ZodUnion<infer Options>
            ? CamelInput<Options[number]>
            : z.input<Schema>;

/** A schema, as far as its fields' names go. */
interface Shaped {
  def: {
    type: string;
    shape?: Record<string, Shaped>;
    element?: Shaped;
    innerType?: Shaped;
    valueType?: Shaped;
    options?: Shaped[];
  };
  safeParse(value: unknown): { success: boolean };
}

export const camelName = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** A result of the schema, with the names of fields in camelCase. */
export function camelNames<Schema extends z.ZodType>(schema: Schema, value: z.output<Schema>): CamelOutput<Schema> {
  return renamed(schema as unknown as Shaped, value, (name) => [name, camelName(name)]) as CamelOutput<Schema>;
}

/** An input for the schema, from one with the names of fields in camelCase. Unknown names are left for it to refuse. */
export function snakeNames(schema: z.ZodType, value: unknown): unknown {
  return renamed(schema as unknown as Shaped, value, (name) => [camelName(name), name]);
}

/** `namesOf`: the name that a field of the schema has in the value, and the one that it gets. */
function renamed(schema: Shaped, value: unknown, namesOf: (name: string) => [from: string, to: string]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const { shape, element, innerType, valueType, options } = schema.def;
  const inner = (one: Shaped, of: unknown) => renamed(one, of, namesOf);
  if (shape) {
    const fields = new Map(Object.keys(shape).map((name) => [namesOf(name)[0], name]));
    const entries = Object.entries(value).map(([given, of]) => {
      const name = fields.get(given);
      const field = name === undefined ? undefined : shape[name];
      return name === undefined || field === undefined ? [given, of] : [namesOf(name)[1], inner(field, of)];
    });
    return Object.fromEntries(entries);
  }
  if (element && Array.isArray(value)) return value.map((one) => inner(element, one));
  if (innerType) return inner(innerType, value);
  if (valueType) return Object.fromEntries(Object.entries(value).map(([key, of]) => [key, inner(valueType, of)]));
  for (const option of options ?? []) {
    const candidate = inner(option, value);
    if ([value, candidate].some((one) => option.safeParse(one).success)) return candidate;
  }
  return value;
}
