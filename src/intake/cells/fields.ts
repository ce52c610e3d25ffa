/** The possible meanings of a file's column. */
export const fields = [
  'phone_number',
  'country',
  'network_id',
  'amount',
  'currency',
  'product_id',
  'reference',
  'sms_message',
] as const;
export type Field = (typeof fields)[number];
