import { withoutSpreadsheetGuard } from '../core/spreadsheet-safe.ts';
import { shortened } from './problems.ts';
import type { RowUnderCheck } from './row-under-check.ts';
import { isAnswer, smsLengthMax } from './sms-message.ts';

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
