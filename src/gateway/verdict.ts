/** What an answer that is no success means for one request to create a payment. Each verdict carries its reason. */
export type Verdict =
  | { kind: 'refused' | 'exists' | 'throttled' | 'number_blocked' | 'in_doubt'; why: string }
  | { kind: 'account_blocked'; reason: 'insufficient_balance' | 'credentials_rejected'; why: string };
