/** The advice of a problem, without parts that only apply to the command line. */
export function advice(suggestion: string): string {
  return suggestion
    .split(/(?<=[.;]) |, or (?=name the|add )/)
    .filter((part) => !/(^|\s)--[a-z]|"airbatch |\bintake\.|in the configuration/.test(part))
    .join(' ')
    .replace(/[;,]$/, '.');
}
