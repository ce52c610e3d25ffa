import { isNumeric, JsonNumber, numberDecimal, numberText, parseExactJson } from './exact-json.ts';

/**
 * The fields of a payment that was requested, from the request's body; undefined if the interface has no such field.
 */
export interface SentOrder {
  phoneNumber: string;
  reference: string;
  networkId?: string | null;
  /** A plain decimal. */
  amount: string | null;
  currency?: string | null;
  productId: string | null;
  message?: string | null;
}

/** Reads the body of a top-up request of either version (spec sections 4.1 and 4.9). Returns null if it is neither. */
export function sentOrder(body: string): SentOrder | null {
  const json = parsed(body);
  if (!isObject(json)) return null;
  if (typeof json.msisdn === 'string')
    return {
      phoneNumber: `+${json.msisdn}`,
      reference: text(json.extRefId) ?? '',
      amount: decimal(json.amount),
      productId: text(json.productId),
    };
  const [amount, sms] = [isObject(json.amount) ? json.amount : {}, isObject(json.sms) ? json.sms : {}];
  if (typeof json.phone_number !== 'string') return null;
  return {
    phoneNumber: json.phone_number,
    reference: text(json.reference) ?? '',
    networkId: text(json.network_id),
    amount: decimal(amount.value),
    currency: text(amount.currency),
    productId: text(json.product_id),
    message: text(sms.message),
  };
}

function parsed(body: string): unknown {
  try {
    return parseExactJson(body);
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !(value instanceof JsonNumber);
}

function text(value: unknown): string | null {
  if (isNumeric(value)) return numberText(value);
  return typeof value === 'string' ? value : null;
}

function decimal(value: unknown): string | null {
  return isNumeric(value) ? numberDecimal(value) : null;
}
