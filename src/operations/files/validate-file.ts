import { z } from 'zod';
import { AirbatchError } from '../../core/basics/errors.ts';
import { findings } from '../../intake/check/findings-shape.ts';
import { validateFile as validate } from '../../intake/validate.ts';
import { lostTextsText } from '../../reports/sentences/format.ts';
import { withAccount } from '../../runtime/accounts/with-account.ts';
import { noLedgerPath } from '../../runtime/session/session.ts';
import { balanceNow } from '../../runtime/upkeep/plan-batch.ts';
import { defineOperation } from '../base/operation.ts';
import { whileNothingIsSent } from '../working/nothing-sent.ts';
import { makeErrorsFile } from './errors-file.ts';
import { fileInput, settingsWith } from './file-input.ts';

/** Says what is right and wrong with a file. Stores and sends nothing. */
export const validateFile = defineOperation({
  name: 'validate-file',
  role: 'prepare',
  ledger: 'none',
  input: fileInput.extend({
    /** The absolute path of a file for the rows to correct. */
    errors: z.string().optional(),
  }),
  result: findings.extend({
    /** 4 if rows are wrong, else 5 if rows are held, else 0. */
    exit_code: z.int(),
  }),
  run(context, input) {
    const { session, emit, signal, nameOf } = context;
    const { file, sheet, errors: errorsPath } = input;
    if (errorsPath !== undefined && errorsPath === file)
      throw new AirbatchError('USAGE', 'the rows to correct cannot be written over the file that has them', {
        hint: `Name another file with ${nameOf('errors')}.`,
      });
    // With this path, the embedded sandbox writes no files.
    return withAccount({ ...session, ledgerPath: noLedgerPath }, input.account, (account) =>
      whileNothingIsSent(context, async () => {
        emit({ kind: 'account', account: account.name, is_rehearsal: account.isSandbox });
        const { catalog, gateway } = account;
        const errors = errorsPath === undefined ? null : makeErrorsFile(errorsPath, nameOf('errors'));
        try {
          const found = await validate({
            ...{ file, catalog, signal },
            settings: settingsWith(session.config.intake, input),
            sheetIsNamed: sheet !== undefined,
            onProgress: ({ bytes, bytesTotal, rows }) =>
              emit({ kind: 'reading', bytes, bytes_total: bytesTotal, rows }),
            ...(errors === null ? {} : { onRows: errors.add }),
          });
          // As in a run of the file: otherwise correct rows would be reported as wrong.
          if (catalog.refusal() !== null) await balanceNow(session, account, 'validate the file again');
          if (!gateway.sendsTexts && found.text_rows > 0) found.warnings.push(lostTextsText(found.text_rows));
          const { invalid, held } = found.counts;
          return { exit_code: invalid > 0 ? 4 : held > 0 ? 5 : 0, ...found };
        } finally {
          await errors?.close();
        }
      }),
    );
  },
});
