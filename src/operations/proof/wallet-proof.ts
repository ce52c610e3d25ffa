import { z } from 'zod';
import { time } from '../base/fields.ts';

/** What left the wallets between two readings of the balance, and which charges explain it. */
export const walletProof = z.strictObject({
  first_read_at: time,
  last_read_at: time,
  /** For each currency: left = charged + unexplained. */
  currencies: z.array(
    z.strictObject({ currency: z.string(), left: z.string(), charged: z.string(), unexplained: z.string() }),
  ),
});
