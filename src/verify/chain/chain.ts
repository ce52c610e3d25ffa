import { hash as digest } from 'node:crypto';
import { join } from 'node:path';
import { ownLines } from '../input/files.ts';
import { doubleMeaning, type Findings } from '../input/findings.ts';
import type { Manifest } from '../input/manifest.ts';
import type { ChainFacts, Event } from './chain-facts.ts';
import { makeFacts, noteEvent } from './gather-facts.ts';

const file = 'events.jsonl';

/**
 * Walks the audit chain from its first event to the head that the manifest names. Each hash must follow from the one
 * before and from the whole event, so that no event was changed, omitted, added or moved. `wanted`: the places whose
 * hashes are kept. `outside`: the places of heads that did not come with the reports. A chain that ends in one of these
 * (or only adds published reports to it) is complete as far as it goes, and later heads show how far it went on; any
 * other chain was cut short. Returns null for the chain of another batch, with which nothing can be compared.
 */
export async function walkChain(
  dir: string,
  manifest: Manifest,
  findings: Findings,
  {
    anchored,
    outside,
    wanted,
  }: { anchored: ReadonlyMap<number, string>; outside: ReadonlySet<number>; wanted: ReadonlySet<number> },
): Promise<ChainFacts | null> {
  const facts = makeFacts();
  let previous = '0'.repeat(64);
  let seq = 0;
  // After a gap, the events that follow it have other numbers than their lines. They are not at fault.
  let ahead = 0;
  let isAtHead = false;
  for await (const lines of ownLines(join(dir, file)))
    for (const line of lines) {
      seq += 1;
      const event = eventOf(line, seq);
      const { batch_id, at, actor, kind, row_no, body, hash } = event;
      if (seq === 1 && batch_id !== manifest.batch_id) {
        findings.add(file, `is the chain of another batch, ${batch_id}.`);
        return null;
      }
      if (line !== JSON.stringify({ batch_id, seq: event.seq, at, actor, kind, row_no, body, hash }))
        findings.add(file, `line ${seq} ${doubleMeaning}`);
      const text = JSON.stringify([batch_id, event.seq, at, actor, kind, row_no, body]);
      const expected = digest('sha256', previous + text);
      if (event.seq !== seq + ahead) {
        findings.add(
          file,
          `line ${seq} has event ${event.seq}, not ${seq + ahead}: events are missing, added or moved.`,
        );
        ahead = event.seq - seq;
      } else if (batch_id !== manifest.batch_id) findings.add(file, `event ${event.seq} is of another batch.`);
      else if (hash !== expected)
        findings.add(file, `event ${event.seq} does not follow from the one before it: it was changed.`);
      previous = hash;
      if ((anchored.get(seq) ?? hash) !== hash)
        findings.add(file, `event ${seq} is not the one that was anchored: the chain was rewritten.`);
      // Publishing reports does not cause another anchor.
      isAtHead = outside.has(seq) || (isAtHead && kind === 'batch.report');
      const data = objectOf(body);
      if (body !== JSON.stringify(data)) findings.add(file, `the body of event ${seq} ${doubleMeaning}`);
      if (!isDoor(data.through)) findings.add(file, `event ${seq} came through an unknown interface.`);
      if (kind === 'batch.report') facts.published.push({ version: Number(data.version), at, seq, hash });
      if (wanted.has(seq)) facts.heads.set(seq, hash);
      noteEvent(facts, { ...event, data });
    }
  for (const events of anchored.keys())
    if (events > seq && isAtHead && outside.has(events)) facts.wentOnTo = Math.max(facts.wentOnTo ?? 0, events);
    else if (events > seq)
      findings.add(
        file,
        `was cut short, or is of an older version: ${events} events were anchored, and it has ${seq}.`,
      );
  if (seq !== manifest.audit.events)
    findings.add(file, `has ${seq} events; the manifest says ${manifest.audit.events}.`);
  if (previous !== manifest.audit.head) findings.add(file, 'does not end in the head that the manifest names.');
  return facts;
}

const doors: readonly unknown[] = ['cli', 'console', 'api', 'library', 'serve'];

/** The interface through which a person or a job acted. Events of the program itself, and old ones, have none. */
function isDoor(through: unknown): boolean {
  return (through ?? null) === null || doors.includes(through) || /^job:./.test(String(through));
}

/** Written by hand, as there are millions of events: a schema checker takes longer than all hashes together. */
function eventOf(line: string, seq: number): Event {
  const event = objectOf(line) as unknown as Event;
  const { batch_id, at, actor, kind, row_no, body, hash } = event;
  const isEvent =
    [batch_id, actor, kind, body, hash].every((text) => typeof text === 'string') &&
    [event.seq, at].every((number) => Number.isInteger(number)) &&
    (row_no === null || (Number.isInteger(row_no) && row_no > 0 && row_no < rowNoMax));
  if (!isEvent) throw new Error(`line ${seq} is no event`);
  return event;
}

/** More rows than any file has. A row number is an index into memory here, and a forged one must not use all of it. */
const rowNoMax = 2 ** 28;

function objectOf(json: string): Record<string, unknown> {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`${json} is no object`);
  return value as Record<string, unknown>;
}
