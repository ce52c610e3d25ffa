import { jsonFile, jsonLine } from '../../core/text/json-output.ts';
import { isoTime } from '../../core/time/clock.ts';
import { anchorsOf } from '../../ledger/audit/anchors.ts';
import type { Queryable } from '../../ledger/drivers/database.ts';

/** A line of an anchor file, with which `airbatch verify --anchor FILE` compares reports. */
export function anchorLine(head: {
  batch_id: string;
  account: string;
  events: number;
  head: string;
  at: string;
}): string {
  const { at, account, batch_id, events } = head;
  return jsonLine({ at, account, batch_id, events, head: head.head });
}

/** The text of anchors.json: where and when heads were anchored, and the receipts; null if none was. */
export async function anchorsJson(view: Queryable, batchId: string): Promise<string | null> {
  const anchors = await anchorsOf(view, batchId);
  if (anchors.length === 0) return null;
  const list = anchors.map(({ place, events, head, anchored_at, receipt }) => ({
    place,
    at: isoTime(anchored_at),
    events,
    head,
    receipt,
  }));
  return jsonFile(list);
}
