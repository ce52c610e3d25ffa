/** How the sandbox treats a number with certain last four digits, as payment sandboxes treat certain card numbers. */
export type MagicName =
  | 'declined'
  | 'slow'
  | 'stuck'
  | 'poor'
  | 'answer_lost'
  | 'unavailable'
  | 'invalid'
  | 'refunded'
  | 'broken_after_charge'
  | 'unreadable_after_charge'
  | 'timeout'
  | 'underlivered'
  | 'canceled'
  | 'reversed';

/** One line of the table. `docs/sandbox.md` contains it, and a test keeps both equal. */
export interface MagicNumber {
  digits: string;
  name: MagicName;
  v2: string;
  v1: string;
}

export const magicNumbers: readonly MagicNumber[] = [
  {
    digits: '0001',
    name: 'declined',
    v2: 'accepted, then `failed`',
    v1: 'SYNC: code 5 (a product: 221); ASYNC: accepted, then `FAILED`',
  },
  {
    digits: '0002',
    name: 'slow',
    v2: 'accepted, `completed` after 30 s',
    v1: 'SYNC: code 10 after 10 s; then `SUCCESS` after 30 s',
  },
  {
    digits: '0003',
    name: 'stuck',
    v2: 'accepted, stays `processing` for ever',
    v1: 'accepted, stays `PROCESSING` until the 12 minutes are over, then `TIMEOUT`',
  },
  { digits: '0004', name: 'poor', v2: '`INSUFFICIENT_BALANCE`, whatever the wallet holds', v1: 'code 20' },
  {
    digits: '0005',
    name: 'answer_lost',
    v2: 'charged, and the connection is cut before the answer; only the first time',
    v1: 'the same',
  },
  {
    digits: '0006',
    name: 'unavailable',
    v2: '503 twice, nothing charged; then as any other',
    v1: 'the same',
  },
  { digits: '0007', name: 'invalid', v2: '`INVALID_PHONE_NUMBER`', v1: 'code 30' },
  {
    digits: '0008',
    name: 'refunded',
    v2: '`completed`, and refunded 60 s later: the cost becomes 0, `transaction.refunded` is sent',
    v1: '`SUCCESS`, and refunded 60 s later: `effectiveAmount` becomes 0',
  },
  {
    digits: '0009',
    name: 'broken_after_charge',
    v2: 'charged, and answered with 500; only the first time',
    v1: 'the same',
  },
  {
    digits: '0010',
    name: 'unreadable_after_charge',
    v2: 'charged, and answered with 200 and a page of HTML; only the first time',
    v1: 'the same',
  },
  {
    digits: '0011',
    name: 'timeout',
    v2: 'accepted, then `failed` after 12 minutes',
    v1: 'accepted, then `TIMEOUT` after 12 minutes',
  },
  { digits: '0012', name: 'underlivered', v2: 'accepted, then `failed`', v1: 'accepted, then `UNDERLIVERED`' },
  { digits: '0013', name: 'canceled', v2: 'accepted, then `failed`', v1: 'accepted, then `CANCELED`' },
  {
    digits: '0014',
    name: 'reversed',
    v2: 'accepted, then `failed`; 60 s later `completed`, charged again, and `topup.completed` is sent',
    v1: 'SYNC: code 5; ASYNC: accepted, then `FAILED`; 60 s later `SUCCESS`, and charged again',
  },
];

const namesByDigits = new Map(magicNumbers.map(({ digits, name }) => [digits, name]));

export function magicOf(phoneNumber: string): MagicName | null {
  return namesByDigits.get(phoneNumber.slice(-4)) ?? null;
}

/** Temporary codes of Version 1: each is answered this many times, and then the number is treated as usual. */
export const passingCodes: Readonly<Record<number, number>> = { 50: 1, 234: 2 };

/** Refusals of Version 1 for numbers that end in 9 and the three digits of the code: 9218 gives code 218. */
export const refusalCodes = [20, 30, 50, 150, 190, 200, 210, 218, 222, 227, 228, 231, 234] as const;

export function refusalCodeOf(phoneNumber: string): number | null {
  const match = /9([0-9]{3})$/.exec(phoneNumber);
  const code = Number(match?.[1] ?? 0);
  return (refusalCodes as readonly number[]).includes(code) ? code : null;
}
