import { withoutSpreadsheetGuard } from '../../core/money/spreadsheet-safe.ts';
import { shortened } from '../cells/problems.ts';
import { isAnswer, smsLengthMax } from '../columns/sms-message.ts';
import type { RowUnderCheck } from './row-under-check.ts';

/** The text message that goes with the airtime, or null if there is none or it cannot be sent. */
export function readSmsMessage({ cell, context, blame }: RowUnderCheck): string | null {
  const message = withoutSpreadsheetGuard(cell.sms_message.trim());
  if (message === '') return context.settings.smsMessage;
  if (isAnswer(message)) {
    blame('sms_message', {
      code: 'SMS_NOT_A_TEXT',
      message: `"${shortened(message)}" would be sent as the text of the SMS: this column is for the message itself, not for yes or no.`,
      suggestion:
        'Write the text instead, or leave the cell empty for no SMS. A column that only says whether to send one is not read if it is named send_sms.',
    });
    return null;
  }
  if (message.length <= smsLengthMax) return message;
  blame('sms_message', {
    code: 'SMS_TOO_LONG',
    values: { length: String(message.length), most: String(smsLengthMax) },
    message: `The text message has ${message.length} characters; at most ${smsLengthMax} can be sent.`,
    suggestion: 'Shorten the message.',
  });
  return null;
}
