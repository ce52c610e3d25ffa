/** Characters that Unicode displays as nothing: joiners, variation selectors, direction marks, fillers. */
const ignorable = /\p{Default_Ignorable_Code_Point}/gu;
/** Nearly no text has such characters. */
const mayHold = /[^\x20-\x7e]/;

/** The text for comparisons: texts that look the same on every screen become equal. */
export function withoutIgnorable(text: string): string {
  return mayHold.test(text) ? text.replace(ignorable, '') : text;
}
