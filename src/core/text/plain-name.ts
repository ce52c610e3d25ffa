import { withoutIgnorable } from './ignorable.ts';

/** A header without case, accents, punctuation and doubled spaces: "Numéro  de téléphone:" is "numero de telephone". */
export function plainName(header: string): string {
  return withoutIgnorable(header)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\bn°/g, 'no ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
