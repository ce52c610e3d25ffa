import { plainName } from '../../core/text/plain-name.ts';

/** The longest text message: three joined SMS of 153 characters. The spec gives no limit. */
export const smsLengthMax = 459;

/**
 * Answers to the question whether to send an SMS, as spreadsheets and people write them, in the form of `plainName`.
 */
const answers = new Set(
  [
    'true, yes, on, enabled, false, no, off, disabled, none, null, nil, na, n a',
    'vrai, oui, faux, non, aucun',
    'verdadero, si, falso, ninguno',
    'verdadeiro, sim, nao, nenhum',
    'kweli, ndiyo, ndio, uongo, hapana',
    'wahr, ja, falsch, nein, kein, keine',
  ].flatMap((language) => language.split(', ')),
);
const answerLengthMax = 12;

/**
 * Whether a message cell says yes, no or nothing: `TRUE`, `no`, `1`, `x`, `N/A`. Nobody sends a person a single
 * character.
 */
export function isAnswer(message: string): boolean {
  if (message.length > answerLengthMax) return false;
  return [...message].length === 1 || answers.has(plainName(message));
}
