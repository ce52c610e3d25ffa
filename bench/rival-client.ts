import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';
import { newRow } from './ledger.ts';

/** Requests under way at once, and connections: as many as airbatch opens to a service. */
export const atOnce = 64;

/** The rows that every rival sends: the same as airbatch finds in its ledger. */
export interface RivalRow {
  reference: string;
  phone: string;
  amount: string;
  currency: string;
}

export function rivalRows(count: number): RivalRow[] {
  return Array.from({ length: count }, (_, index) => {
    const { row_ref, phone_number, amount, currency } = newRow(index + 1);
    return {
      reference: `payroll-2026-11/${row_ref}`,
      phone: phone_number ?? '',
      amount: amount ?? '',
      currency: currency ?? '',
    };
  });
}

/** The least that a client of the service can do: it sends, reads the list, and believes what it is told. */
export interface RivalClient {
  /** Sends a row. Resolves with its id when the service took it. */
  send(row: RivalRow): Promise<string>;
  /** Reads one row until it is `completed`. */
  follow(id: string): Promise<void>;
  /** Reads list pages of 100 until `count` rows were seen `completed`. */
  followAll(count: number): Promise<void>;
  close(): Promise<void>;
}

interface Entry {
  id: string;
  status: string;
  reference: string;
  created_at: string;
}

/** How long a follower waits when it was told nothing new. */
const pollMs = 100;

export function makeRivalClient(url: string): RivalClient {
  const pool = new Pool(url, { connections: atOnce });
  const headers = { authorization: 'Bearer sandbox-key', 'content-type': 'application/json' };
  return {
    async send({ reference, phone, amount, currency }) {
      const answer = await pool.request({
        path: '/v2/topups',
        method: 'POST',
        headers: { ...headers, 'idempotency-key': randomUUID() },
        body: JSON.stringify({
          phone_number: phone,
          network_id: 1,
          amount: { value: Number(amount), currency },
          reference,
        }),
      });
      const { data } = (await answer.body.json()) as { data: Entry };
      if (answer.statusCode !== 201) throw new Error(`a row was answered with ${answer.statusCode}`);
      return data.id;
    },
    async follow(id) {
      for (;;) {
        const answer = await pool.request({ path: `/v2/topups/${id}`, method: 'GET', headers });
        const { data } = (await answer.body.json()) as { data: Entry };
        if (data.status === 'completed') return;
        await wait(pollMs);
      }
    },
    async followAll(count) {
      const open = new Set<string>();
      let completed = 0;
      let page = 1;
      while (completed < count) {
        const answer = await pool.request({
          path: `/v2/topups?per_page=100&sort=created_at&page=${page}`,
          method: 'GET',
          headers,
        });
        const { data } = (await answer.body.json()) as { data: Entry[] };
        for (const { reference, status } of data) {
          if (status !== 'completed' || open.has(reference)) continue;
          open.add(reference);
          completed += 1;
        }
        if (data.length === 100) page += 1;
        else await wait(pollMs);
      }
    },
    close: () => pool.close(),
  };
}
