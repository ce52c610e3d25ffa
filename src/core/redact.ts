/** A phone number in international form, with or without its "+": seven to fifteen digits that stand alone. */
const phonePattern = /(?<![\w.-])\+?[1-9][0-9]{6,14}(?![\w.-])/g;

/** `text` without phone numbers: for logs and the audit chain, which outlive the right to know a number. */
export function withoutNumbers(text: string): string {
  return text.replace(phonePattern, '[number]');
}
