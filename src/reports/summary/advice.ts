import { isOverdue } from '../../core/state/overdue.ts';
import { rowStateTexts } from '../../core/state/state-texts.ts';
import type { ReportedRow } from '../../ledger/reporting/reported-rows.ts';
import { problemsOf, type StoredProblem } from './stored.ts';
import { isContradicted, isLeftToPerson } from './survey.ts';

/**
 * What to do about a failed row, by the service's code (spec sections 7.1 and 7.2; V1 codes are numbers). For people
 * who correct the row and send it again.
 */
const failureAdvice: Record<string, string> = {
  INSUFFICIENT_BALANCE: 'Add money to the account, then send this row again.',
  INVALID_PHONE_NUMBER: 'Check the phone number with the recipient.',
  AMOUNT_TOO_SMALL: 'Raise the amount: it is below the minimum of the service.',
  AMOUNT_TOO_LARGE: 'Lower the amount, or split it: it is above the maximum of the service.',
  PRODUCT_NOT_FOUND: 'The product is no longer sold: choose another.',
  NETWORK_NOT_FOUND: 'Check the network: the service does not support it.',
  WALLET_TYPE_UNAVAILABLE: 'The account has no wallet in the currency of this country: use another wallet or open one.',
  RESOLVED_NOT_PAID: 'It can be sent again: airbatch first asks the service whether it was paid.',
  '5': 'The operator declined it. Check the number, then send this row again.',
  '20': 'Add money to the account, then send this row again.',
  '30': 'Check the number with the recipient: it is invalid, not active, or not registered with the operator.',
  '50': 'The same number was topped up a moment ago. Wait a minute, then send this row again.',
  '150': 'The amount does not fit the product: leave the amount empty, or check the product.',
  '190': 'Check the credentials of the account with the service.',
  '200': 'The account may not pay this destination: ask the service to enable it.',
  '210': 'The product is no longer sold: choose another.',
  '218': 'The product belongs to another network than the number: choose a product of its network, or pay an amount.',
  '221': 'The bundle could not be bought: check that the product is still sold, then send this row again.',
  '222': 'The number could not be verified: check it with the recipient.',
  '227': 'Raise the amount: it is below the minimum of the operator.',
  '228': 'Lower the amount, or split it: it is above the maximum of the operator.',
  '231': 'Raise the amount: it is below the minimum of the service.',
  '234': 'This operator was not available for a while: send this row again later.',
  TIMEOUT: 'The operator gave no answer in time. Ask the recipient whether it arrived before sending this row again.',
  UNDERLIVERED: 'Less than the amount may have arrived. Ask the recipient before sending this row again.',
  CANCELED: 'The service cancelled it. Ask the recipient whether it arrived before sending this row again.',
};

const generalAdvice = 'Read the reason, correct the row if necessary, and send it again.';

/** All problems of a row, each with what to do about it; empty if it has none. */
export function troublesOf(row: ReportedRow): StoredProblem[] {
  const problems = problemsOf(row);
  if (row.status === 'invalid' || row.status === 'held' || row.status === 'skipped') return problems;
  if (isContradicted(row)) {
    const message = `It failed at first, and the service now says ${row.contradicted}: it counts as paid.`;
    const suggestion = 'Do not send it again. If the recipient does not have it, ask the service.';
    return [{ code: 'MAY_BE_PAID', column: null, message, suggestion }];
  }
  if (row.status !== 'failed' && row.status !== 'in_doubt' && !isOverdue(row)) return [];
  // As in results.csv: empty if the service gave no code.
  const code = row.failure_code ?? '';
  const message = row.failure_reason ?? rowStateTexts[row.status].meaning;
  const suggestion =
    row.status === 'failed'
      ? (failureAdvice[row.service_status ?? ''] ?? failureAdvice[code] ?? generalAdvice)
      : `${isLeftToPerson(row) || isOverdue(row) ? 'Ask the service or the recipient, then "airbatch resolve". ' : ''}Do not pay it in any other way until it is resolved.`;
  return [{ code, column: null, message, suggestion }];
}
