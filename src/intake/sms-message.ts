import { withoutSpreadsheetGuard } from '../core/spreadsheet-safe.ts';
import { plainName } from './column-names.ts';
import { shortened } from './problems.ts';
import type { RowUnderCheck } from './row-under-check.ts';

/** How long a text message may be: three joined SMS of 153 characters. The spec gives no limit. */
export const smsLengthMax = 459;

/** Answers to whether an SMS is sent, as spreadsheets and people write them, by their plain names (`plainName`). */
const answers = new Set(
  [
    'true, yes, on, enabled, false, no, off, disabled, none, null, nil, na, n a',
    'vrai, oui, faux, non, aucun',
    'verdadero, si, falso, ninguno',
    'verdadeiro, sim, nao, nenhum',
    'kweli, ndiyo, ndio, uongo, hapana',
  ].flatMap((language) => language.split(', ')),
);
const answerLengthMax = 12;

/** Whether a cell for a text says yes, no or nothing instead: `TRUE`, `no`, `1`, `x`, `N/A`. Nobody sends a person a single character. */
export function isAnswer(message: string): boolean {
  if (message.length > answerLengthMax) return false;
  return [...message].length === 1 || answers.has(plainName(message));
}

/** The text that goes with the airtime, or null: there is none, or it cannot be sent. */
export function readSmsMessage({ cell, context, blame }: RowUnderCheck): string | null {
  const message = withoutSpreadsheetGuard(cell.sms_message.trim());
  if (message === '') return context.settings.smsMessage;
  if (isAnswer(message)) {
    blame('sms_message', {
      code: 'SMS_NOT_A_TEXT',
      message: `"${shortened(message)}" would be sent as the text of the SMS: the column holds the text itself, not whether one is sent.`,
      suggestion:
        'Write the text in its place, or leave the cell empty for none. A column that is not for texts is not read once it is named send_sms.',
    });
    return null;
  }
  if (message.length <= smsLengthMax) return message;
  blame('sms_message', {
    code: 'SMS_TOO_LONG',
    message: `The text message has ${message.length} characters; at most ${smsLengthMax} can be sent.`,
    suggestion: 'Shorten the message.',
  });
  return null;
}
