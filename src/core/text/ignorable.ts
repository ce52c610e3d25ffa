/** Characters that Unicode shows as nothing: joiners, variation selectors, marks of direction, fillers. */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
/** Nearly every text has none of them. */
const mayHold = /[^\x20-\x7e]/;

/** A text as it is compared: two that look the same on every screen are the same. */
export function withoutIgnorable(text: string): string {
  return mayHold.test(text) ? text.replace(ignorable, '') : text;
}
