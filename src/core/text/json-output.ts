/**
 * The same value, if every name in it is in lower case: a value with a name such as `runId` does not compile. Names
 * that are data (a code, a currency) are plain strings for the compiler, and are allowed.
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
 * A document of the JSON output, in one line. Its names are a contract (`docs/commands.md`): they are in snake_case.
 */
export function jsonLine<Value>(document: Value & SnakeNames<Value>): string {
  return `${JSON.stringify(document)}\n`;
}

/** The same, indented, as a file that people may read too. */
export function jsonFile<Value>(document: Value & SnakeNames<Value>): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}
