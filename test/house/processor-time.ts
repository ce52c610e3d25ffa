import { existsSync, readFileSync } from 'node:fs';

/** Linux counts them in hundredths of a second, whatever the kernel's own clock is. */
const ticksPerSecond = 100;
const stat = '/proc/self/stat';

/**
 * The seconds of processor time that the ended processes took which this one has started, with all that those have
 * started; null where the system does not say.
 */
export function secondsOfChildren(): number | null {
  if (!existsSync(stat)) return null;
  // The second field is the name of the program, in brackets; it may contain spaces. `cutime` is the 16th field.
  const fields = readFileSync(stat, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond;
}
