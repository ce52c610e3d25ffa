import { open } from 'node:fs/promises';
import { z } from 'zod';
import type { Findings } from './findings.ts';
import type { Manifest } from './manifest.ts';

const lineShape = z.object({ batch_id: z.string(), events: z.number(), head: z.string() });

/**
 * The heads of the batch's chain that were put outside, by the number of events they stand for: a file with one JSON object a
 * line, kept where the program that wrote the reports could not change it.
 */
export async function readAnchors(file: string, manifest: Manifest, findings: Findings): Promise<Map<number, string>> {
  const heads = new Map<number, string>();
  for await (const line of (await open(file)).readLines()) {
    if (line.trim() === '') continue;
    const { batch_id, events, head } = lineShape.parse(JSON.parse(line));
    if (batch_id !== manifest.batch_id) continue;
    const known = heads.get(events);
    if (known !== undefined && known !== head)
      findings.add('events.jsonl', `was anchored twice at event ${events}, with different heads.`);
    heads.set(events, head);
  }
  if (heads.size === 0) findings.add('events.jsonl', 'was never anchored in the given file.');
  return heads;
}
