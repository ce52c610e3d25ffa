/** What an answer other than a success means for one request to create a payment. Each verdict carries its reason. */
export type Verdict =
  | { kind: 'refused' | 'exists' | 'throttled' | 'number_blocked'; why: string }
  /** `isInOrder`: the service works, and named what is wrong with this payment or its route. */
  | { kind: 'in_doubt'; why: string; isInOrder?: true }
  | { kind: 'account_blocked'; reason: 'insufficient_balance' | 'credentials_rejected'; why: string };
