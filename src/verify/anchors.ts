import { join } from 'node:path';
import { z } from 'zod';
import { linesOf, ownText } from './files.ts';
import { attempt, type Findings, given, readJson } from './findings.ts';
import type { Manifest } from './manifest.ts';

const headShape = z.object({ events: z.int().min(1), head: z.string() });
const lineShape = headShape.extend({ batch_id: z.string() });

export type Head = z.infer<typeof headShape>;

const ownName = 'anchors.json';

/** The heads of the chain that the reports themselves say were put outside. */
export async function readOwnAnchors(dir: string, { files }: Manifest, findings: Findings): Promise<Head[]> {
  if (!files.some(({ name }) => name === ownName)) return [];
  const heads = await attempt(findings, ownName, async () =>
    z.array(headShape).parse(readJson(ownName, await ownText(join(dir, ownName)), findings)),
  );
  return heads ?? [];
}

/** All heads by the number of events they stand for, of which the chain must have each. */
export function headsByEvents(heads: readonly Head[], findings: Findings): Map<number, string> {
  const byEvents = new Map<number, string>();
  for (const { events, head } of heads) {
    if ((byEvents.get(events) ?? head) !== head)
      findings.add('events.jsonl', `was anchored twice at event ${events}, with different heads.`);
    byEvents.set(events, head);
  }
  return byEvents;
}

/**
 * The heads of the batch's chain that were put outside: a file with one JSON object a line, kept where the program that wrote the reports could not change it.
 */
export async function readAnchors(file: string, manifest: Manifest, findings: Findings): Promise<Head[]> {
  const heads: Head[] = [];
  await given(`${file} cannot be read as heads of chains`, async () => {
    let line = 0;
    for await (const lines of linesOf(file))
      for (const text of lines) {
        line += 1;
        if (text.trim() === '') continue;
        const what = `line ${line} of ${file} is no head of a chain`;
        const { batch_id, events, head } = await given(what, () => headOf(text));
        if (batch_id === manifest.batch_id) heads.push({ events, head });
      }
  });
  if (heads.length === 0) findings.add('events.jsonl', 'was never anchored in the given file.');
  return heads;
}

function headOf(line: string): z.infer<typeof lineShape> {
  const { data, error } = lineShape.safeParse(JSON.parse(line));
  if (error) throw new Error(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  return data;
}
