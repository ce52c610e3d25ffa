/**
 * The same value, where every name in it is in lower case: what has a name such as `runId` does not compile. Names
 * that are data (a code, a currency) are plain strings to the compiler, and stand as they are.
 */
export type SnakeNames<Value> = Value extends object
  ? { [Name in keyof Value]: IsCamelName<Name> extends true ? never : SnakeNames<Value[Name]> }
  : Value;

type IsCamelName<Name> = Name extends string
  ? string extends Name
    ? false
    : Name extends Lowercase<Name>
      ? false
      : true
  : false;

/**
 * A document of the JSON that is given out, on a line of its own. Its names are a contract (`docs/commands.md`): they
 * are in snake_case.
 */
export function jsonLine<Value>(document: Value & SnakeNames<Value>): string {
  return `${JSON.stringify(document)}\n`;
}

/** The same as a file that people may read, too. */
export function jsonFile<Value>(document: Value & SnakeNames<Value>): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
