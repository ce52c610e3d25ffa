/** The most requests of a row that are told apart: two bytes a row hold no more. */
export const attemptsMax = 2 ** 16 - 1;

/** What the chain says of how often, and since when, each row was sent, by row number. Ten bytes a row. */
export interface Sendings {
  /**
   * Requests of the row's generation that were, or may have been, written: `attemptsMax` where there were as many or
   * more.
   */
  attemptsOf(rowNo: number): number;
  /**
   * When the row's generation was first sent (epoch ms), 0 where it was not, NaN where chains of before do not tell
   * it.
   */
  firstSentOf(rowNo: number): number;
  /**
   * Whether the row was held for an earlier payment, of which it may bear the service's word until it is sent itself.
   */
  mayBear(rowNo: number): boolean;
  /** Takes down what an event of a row tells of it; `at`: epoch ms. */
  note(rowNo: number, kind: string, at: number, data: Record<string, unknown>): void;
}

export function makeSendings(): Sendings {
  let attempts = new Uint16Array(1_024);
  let firstSent = new Float64Array(1_024);
  // Few rows were paid before, it may be.
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
          // Sent again out of a doubt, it keeps the time of the request that led there.
          if (data.from === 'ready') {
            firstSent[rowNo] = at;
            bearing.delete(rowNo);
          }
          break;
        case 'row.unsent':
          // Where the service could not be reached the attempt counts; one that it refused for now is given back.
          if (data.outcome !== 'not_sent') attempts[rowNo] = Math.max(0, (attempts[rowNo] ?? 0) - 1);
          break;
        case 'row.retry':
          attempts[rowNo] = 0;
          firstSent[rowNo] = 0;
          break;
        case 'row.doubt':
          // Not sent now: it was before, by a part of the ledger that is lost, or too long ago to be sent again.
          if (data.from === 'ready') firstSent[rowNo] = Number(data.first_sent_at);
          break;
        case 'row.hold':
          // The row now bears when an earlier payment was first sent, of which results do not tell; not where it asks
          // for something else.
          if (data.why === 'MAY_BE_PAID' && data.first_sent_at !== null) {
            firstSent[rowNo] = data.first_sent_at === undefined ? Number.NaN : 0;
            bearing.add(rowNo);
          }
          break;
        case 'row.complete':
        case 'row.fail':
          // Programs whose chains do not tell when a row ended kept the time of a request that was given back.
          if (data.completed_at === undefined) firstSent[rowNo] = Number.NaN;
          break;
      }
    },
  };
}
