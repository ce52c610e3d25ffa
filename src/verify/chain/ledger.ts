import { DatabaseSync } from 'node:sqlite';
import { type Findings, given } from '../input/findings.ts';
import type { Manifest } from '../input/manifest.ts';

/** Events in the ledger's chain of the batch after the end of the reports' chain. */
export interface LaterEvents {
  events: number;
  /** How many there are of each kind. */
  kinds: Record<string, number>;
}

type Answer = readonly Record<string, unknown>[];

const questions = [
  'SELECT hash FROM events WHERE batch_id = ? AND seq = ?',
  'SELECT kind, COUNT(*) AS count FROM events WHERE batch_id = ? AND seq > ? GROUP BY kind ORDER BY kind',
  `SELECT body FROM events WHERE batch_id = ? AND seq > ? AND kind = 'batch.report' ORDER BY seq DESC LIMIT 1`,
] as const;
type Answers = [Answer, Answer, Answer];

function readFile(path: string, values: [string, number]): Answers {
  const ledger = new DatabaseSync(path, { readOnly: true });
  try {
    return questions.map((question) => ledger.prepare(question).all(...values)) as unknown as Answers;
  } finally {
    ledger.close();
  }
}

async function readDatabase(url: string, values: [string, number]): Promise<Answers> {
  const { Client } = await import('pg');
  const address = new URL(url);
  // The library then understands `sslmode` as libpq does.
  address.searchParams.set('uselibpqcompat', 'true');
  const client = new Client({ connectionString: address.href });
  try {
    await client.connect();
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const answers: Answer[] = [];
    for (const question of questions) {
      let count = 0;
      const text = question.replaceAll('?', () => `$${++count}`);
      answers.push((await client.query(text, values)).rows);
    }
    return answers as unknown as Answers;
  } finally {
    await client.end();
  }
}

/** Without user, password and parameters. */
function shownUrl(text: string): string {
  if (!URL.canParse(text)) return 'the URL';
  const { host, pathname } = new URL(text);
  return `postgres://${host}${pathname}`;
}

/**
 * The chain of the reports must be the beginning of the ledger's chain. If that has grown since, the reports are older,
 * not wrong.
 */
export async function checkLedger(
  place: string,
  { batch_id, audit }: Manifest,
  findings: Findings,
): Promise<LaterEvents> {
  const isUrl = /^postgres(ql)?:/i.test(place);
  const [event, later, reports] = await given(`${isUrl ? shownUrl(place) : place} cannot be read as a ledger`, () =>
    isUrl ? readDatabase(place, [batch_id, audit.events]) : readFile(place, [batch_id, audit.events]),
  );
  const newest = reports[0]?.body;
  const [end] = event;
  if (end === undefined)
    findings.add('events.jsonl', `ends with event ${audit.events}, which this ledger does not have of the batch.`);
  else if (end.hash !== audit.head) findings.add('events.jsonl', 'is not the audit chain of this ledger.');
  const kinds = Object.fromEntries(later.map(({ kind, count }) => [String(kind), Number(count)]));
  const events = Object.values(kinds).reduce((sum, count) => sum + count, 0);
  if (events > 0) {
    const which = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`);
    const more = events === 1 ? '1 event' : `${events} events`;
    const since = newest === undefined ? '' : ` Version ${JSON.parse(String(newest)).version} was published since.`;
    findings.doubt(
      `The ledger has ${more} more of this batch (${which.join(', ')}): these reports are older than it.${since}`,
    );
  }
  return { events, kinds };
}
