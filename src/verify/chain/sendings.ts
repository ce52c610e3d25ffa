/** The most requests of a row that are counted: two bytes a row hold no more. */
export const attemptsMax = 2 ** 16 - 1;

/** How often, and since when, each row was sent, according to the chain, by row number. Ten bytes a row. */
export interface Sendings {
  /** Requests of the row's generation that were, or may have been, written; at most `attemptsMax`. */
  attemptsOf(rowNo: number): number;
  /**
   * When the row's generation was first sent (epoch ms). 0: never; NaN: the chain, of an old program version, does not
   * say.
   */
  firstSentOf(rowNo: number): number;
  /**
   * Whether the row was held because of an earlier payment. It may show that payment's data until it is sent itself.
   */
  mayBear(rowNo: number): boolean;
  /** Counts an event of a row; `at`: epoch ms. */
  note(rowNo: number, kind: string, at: number, data: Record<string, unknown>): void;
}

export function makeSendings(): Sendings {
  let attempts = new Uint16Array(1_024);
  let firstSent = new Float64Array(1_024);
  // Few rows may have been paid before.
  const bearing = new Set<number>();
  const grow = (rowNo: number) => {
    const size = 2 ** Math.ceil(Math.log2(rowNo + 1));
    const before = { attempts, firstSent };
    attempts = new Uint16Array(size);
    firstSent = new Float64Array(size);
    attempts.set(before.attempts);
    firstSent.set(before.firstSent);
  };
  return {
    attemptsOf: (rowNo) => attempts[rowNo] ?? 0,
    firstSentOf: (rowNo) => firstSent[rowNo] ?? 0,
    mayBear: (rowNo) => bearing.has(rowNo),
    note(rowNo, kind, at, data) {
      if (rowNo >= attempts.length) grow(rowNo);
      switch (kind) {
        case 'row.send':
          attempts[rowNo] = Math.min(Number(data.attempt), attemptsMax);
          // Sent again after a doubt, it keeps the time of the request that led to the doubt.
          if (data.from === 'ready') {
            firstSent[rowNo] = at;
            bearing.delete(rowNo);
          }
          break;
        case 'row.unsent':
          // An attempt that did not reach the service counts; one that the service refused for now does not.
          if (data.outcome !== 'not_sent') attempts[rowNo] = Math.max(0, (attempts[rowNo] ?? 0) - 1);
          break;
        case 'row.retry':
          attempts[rowNo] = 0;
          firstSent[rowNo] = 0;
          break;
        case 'row.doubt':
          // It was not sent now but earlier, by a lost part of the ledger, or too long ago to be sent again.
          if (data.from === 'ready') firstSent[rowNo] = Number(data.first_sent_at);
          break;
        case 'row.hold':
          // The row now has the time when an earlier payment was first sent, which results do not show unless it
          // requests the same.
          if (data.why === 'MAY_BE_PAID' && data.first_sent_at !== null) {
            firstSent[rowNo] = data.first_sent_at === undefined ? Number.NaN : 0;
            bearing.add(rowNo);
          }
          break;
        case 'row.complete':
        case 'row.fail':
          // Program versions whose chains do not say when a row ended kept the time of a request that did not count.
          if (data.completed_at === undefined) firstSent[rowNo] = Number.NaN;
          break;
      }
    },
  };
}
