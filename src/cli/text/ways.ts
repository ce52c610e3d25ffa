import type { WayOn } from '../../operations/base/fields.ts';

/** The commands with which a person lets a batch continue: `"airbatch resume B-1" or "airbatch serve"`. */
export function commandsText(ways: readonly WayOn[], batchId: string): string {
  return ways.map((way) => commandOf(way, batchId)).join(', or ');
}

function commandOf(way: WayOn, id: string): string {
  switch (way) {
    case 'approve':
      return `"airbatch approve ${id}"`;
    case 'reject':
      return `"airbatch reject ${id} --why TEXT"`;
    case 'resume':
      return `"airbatch resume ${id}"`;
    case 'resume_moved':
      return `"airbatch resume ${id} --service-moved"`;
    case 'run':
      return `"airbatch resume ${id}" or "airbatch serve"`;
    case 'resolve':
      return `"airbatch resolve ${id} ROW --as paid --evidence TEXT" or not-paid`;
    case 'decide_held':
      return `"airbatch release ${id}", "airbatch skip ${id} --why TEXT"; with a row's number only that one`;
  }
}

/** A wait, with the commands after it. */
export function waitLine(text: string, ways: readonly WayOn[], batchId: string): string {
  return ways.length === 0 ? text : `${text} (${commandsText(ways, batchId)})`;
}
