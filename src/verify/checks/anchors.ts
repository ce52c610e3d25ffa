import { join } from 'node:path';
import { z } from 'zod';
import { linesOf, ownText } from '../input/files.ts';
import { attempt, type Findings, given, readJson } from '../input/findings.ts';
import type { Manifest } from '../input/manifest.ts';
import { timeForm } from './summary.ts';

const headShape = z.object({ events: z.int().min(1), head: z.string() });
/** As the reports list them: where and when a head was anchored, and the receipt. */
const ownShape = z.strictObject({
  place: z.string(),
  at: z.string().regex(timeForm),
  ...headShape.shape,
  receipt: z.string().nullable(),
});
const lineShape = headShape.extend({ batch_id: z.string() });

export type Head = z.infer<typeof headShape>;
/** A head, and the batch of its chain. */
export type BatchHead = z.infer<typeof lineShape>;

const ownName = 'anchors.json';

/** The heads of the chain that were anchored according to the reports themselves. */
export async function readOwnAnchors(dir: string, { files }: Manifest, findings: Findings): Promise<Head[]> {
  if (!files.some(({ name }) => name === ownName)) return [];
  const heads = await attempt(findings, ownName, async () =>
    z.array(ownShape).parse(readJson(ownName, await ownText(join(dir, ownName)), findings)),
  );
  return heads ?? [];
}

/** All heads by their number of events. The chain must contain each of them. */
export function headsByEvents(heads: readonly Head[], findings: Findings): Map<number, string> {
  const byEvents = new Map<number, string>();
  for (const { events, head } of heads) {
    if ((byEvents.get(events) ?? head) !== head)
      findings.add('events.jsonl', `was anchored twice at event ${events}, with different heads.`);
    byEvents.set(events, head);
  }
  return byEvents;
}

/** The heads of the batch's chain in a file that the program that wrote the reports could not change. */
export async function readAnchors(file: string, manifest: Manifest, findings: Findings): Promise<Head[]> {
  const heads: Head[] = [];
  await given(`${file} cannot be read as heads of chains`, async () => {
    for await (const { batch_id, events, head } of anchoredHeads(file))
      if (batch_id === manifest.batch_id) heads.push({ events, head });
  });
  if (heads.length === 0) findings.add('events.jsonl', 'was never anchored in the given file.');
  return heads;
}

/** The heads in an anchor file: one JSON object a line. Rejects with `InputError` at a malformed line. */
export async function* anchoredHeads(file: string): AsyncGenerator<BatchHead, undefined> {
  let line = 0;
  for await (const lines of linesOf(file))
    for (const text of lines) {
      line += 1;
      if (text.trim() === '') continue;
      yield await given(`line ${line} of ${file} is no head of a chain`, () => headOf(text));
    }
}

/** Throws if the line is not a head. */
export function headOf(line: string): BatchHead {
  return lineShape.parse(JSON.parse(line));
}

/**
 * How much of the chain is covered by anchored heads, in a sentence. The holder of the signing key can rewrite
 * everything that none covers. Heads that only the reports themselves list are no proof, since the same key signs them.
 */
export function coverageOf(events: number, { given: heads, own }: { given: Head[] | null; own: Head[] }): Coverage {
  const covered = Math.min(events, lastOf(heads ?? []));
  const holder = 'the holder of the signing key could have rewritten';
  if (covered > 0) {
    const left = events - covered;
    const rest = left === 1 ? `the last of ${events} events` : `the last ${left} of ${events} events`;
    const sentence =
      left === 0
        ? `An anchored head covers all ${events} events.`
        : `No anchored head covers ${rest}: ${holder} everything after event ${covered}.`;
    return { covered_events: covered, coverage: sentence };
  }
  const anew = `${holder} all of it`;
  const sentence =
    own.length > 0 && heads === null
      ? `These reports say that a head was anchored at event ${lastOf(own)}. Compare the chain with it (--anchor): until then, ${anew}.`
      : `No anchor of this chain was given (--anchor FILE): without one, ${anew}.`;
  return { covered_events: 0, coverage: sentence };
}

export interface Coverage {
  /** Events up to the last of the given outside heads; 0 if there are none. */
  covered_events: number;
  coverage: string;
}

function lastOf(heads: readonly Head[]): number {
  return heads.reduce((last, { events }) => Math.max(last, events), 0);
}
