/** What a problem advises, without what only a command line understands. */
export function advice(suggestion: string): string {
  return suggestion
    .split(/(?<=[.;]) |, or (?=name the|add )/)
    .filter((part) => !/(^|\s)--[a-z]|"airbatch |\bintake\.|in the configuration/.test(part))
    .join(' ')
    .replace(/[;,]$/, '.');
}
