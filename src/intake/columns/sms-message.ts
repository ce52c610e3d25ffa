import { plainName } from './column-names.ts';

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
    'wahr, ja, falsch, nein, kein, keine',
  ].flatMap((language) => language.split(', ')),
);
const answerLengthMax = 12;

/**
 * Whether a cell for a text says yes, no or nothing instead: `TRUE`, `no`, `1`, `x`, `N/A`. Nobody sends a person a
 * single character.
 */
export function isAnswer(message: string): boolean {
  if (message.length > answerLengthMax) return false;
  return [...message].length === 1 || answers.has(plainName(message));
}
