import { open } from 'node:fs/promises';
import { z } from 'zod';
import { type Findings, given } from './findings.ts';
import type { Manifest } from './manifest.ts';

const lineShape = z.object({ batch_id: z.string(), events: z.int().min(1), head: z.string() });

/**
 * The heads of the batch's chain that were put outside, by the number of events they stand for: a file with one JSON object a
 * line, kept where the program that wrote the reports could not change it.
 */
export async function readAnchors(file: string, manifest: Manifest, findings: Findings): Promise<Map<number, string>> {
  const heads = new Map<number, string>();
  let line = 0;
  for await (const text of (await open(file)).readLines()) {
    line += 1;
    if (text.trim() === '') continue;
    const { batch_id, events, head } = await given(`line ${line} of ${file} is no head of a chain`, () => headOf(text));
    if (batch_id !== manifest.batch_id) continue;
    const known = heads.get(events);
    if (known !== undefined && known !== head)
      findings.add('events.jsonl', `was anchored twice at event ${events}, with different heads.`);
    heads.set(events, head);
  }
  if (heads.size === 0) findings.add('events.jsonl', 'was never anchored in the given file.');
  return heads;
}

function headOf(line: string): z.infer<typeof lineShape> {
  const { data, error } = lineShape.safeParse(JSON.parse(line));
  if (error) throw new Error(error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
  return data;
}
