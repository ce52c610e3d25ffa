import { withoutIgnorable } from './ignorable.ts';

/** A name without case, accents, punctuation and doubled spaces: "Numéro  de téléphone:" is "numero de telephone". */
export function plainName(name: string): string {
  return withoutIgnorable(name)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\bn°/g, 'no ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
